"""Where compiled kernels are kept, and what happens where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from anonagram.kernels.cuts import sort_keys

SCRIPT = (
    "from anonagram import Key; from anonagram.kernels.permute import shuffle_groups;"
    "Key(bytes(32)).permutation('x', 9);"
    "kept = type(shuffle_groups.dispatcher._cache).__name__ != 'NullCache';"
    "print(sum(shuffle_groups.dispatcher.stats.cache_hits.values()) if kept else 'none')"
)
NAME_MACHINE_CODE = (
    "from numba.core.codegen import JITCodeLibrary as Library; from anonagram import Key;"
    "made, make = [], Library._finalize_specific;"
    "Library._finalize_specific = lambda library: made.append(library.name) or make(library);"
    "Key(bytes(32)).permutation('x', 9);"
    "print(*made)"
)


def run(script: str = SCRIPT, **changes: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | changes,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_kernels_are_compiled_once_and_found_again(tmp_path):
    assert run(ANONAGRAM_CACHE_DIR=str(tmp_path)) == "0"
    assert run(ANONAGRAM_CACHE_DIR=str(tmp_path)) == "1"


def test_damaged_cache_is_compiled_anew(tmp_path):
    run(ANONAGRAM_CACHE_DIR=str(tmp_path))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(b"garbage" if path.suffix == ".nbi" else b"")
    assert run(ANONAGRAM_CACHE_DIR=str(tmp_path)) == "0"


def test_kernels_work_without_a_home(tmp_path):
    environment = {"HOME": "/proc/none", "XDG_CACHE_HOME": "", "ANONAGRAM_CACHE_DIR": ""}
    assert run(**environment) == "none"


def test_kernels_work_where_no_cache_can_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(ANONAGRAM_CACHE_DIR=str(blocked)) == "none"


def test_machine_code_is_made_of_a_kernel_and_not_of_its_parts(tmp_path):
    made = run(NAME_MACHINE_CODE, ANONAGRAM_CACHE_DIR=str(tmp_path)).split()
    assert "shuffle_groups" in made
    assert "draw" not in made


@pytest.mark.parametrize("size", [*range(20), 1000])
def test_keys_are_sorted_in_place(size):
    keys = np.random.default_rng(size).integers(0, max(1, 2 * size), size)
    expected = sorted(keys.tolist())
    sort_keys(keys)
    assert keys.tolist() == expected
