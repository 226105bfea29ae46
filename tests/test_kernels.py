"""Where compiled kernels are kept, and what happens where nothing can be kept."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.kernels import compiled
from anonagram.kernels.cuts import (
    Attributes,
    bring_left_first,
    find_widths,
    room_for_extents,
    sort_keys,
)

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


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> tuple[Path, list[str]]:
    """A cache that was empty before, and what machine code was made of."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, run(NAME_MACHINE_CODE, ANONAGRAM_CACHE_DIR=str(folder)).split()


def test_machine_code_is_made_of_a_kernel_and_not_of_its_parts(filled):
    _, made = filled
    assert "shuffle_groups" in made
    assert "draw" not in made


def test_kernels_are_found_again_without_getting_ready_to_compile(filled):
    ready = "; import sys; print('numba.np.arrayobj' in sys.modules)"
    assert run(SCRIPT + ready, ANONAGRAM_CACHE_DIR=str(filled[0])) == "1\nFalse"


def test_damaged_cache_is_compiled_anew(filled, tmp_path):
    shutil.copytree(filled[0], tmp_path, dirs_exist_ok=True)
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


def test_a_kernel_is_compiled_anew_when_what_it_imports_has_changed(tmp_path, monkeypatch):
    for name, imported in {"top": "middle", "middle": "leaf", "leaf": "", "apart": ""}.items():
        line = f"from anonagram.kernels.{imported} import work\n" if imported else ""
        (tmp_path / f"{name}.py").write_text(line)
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    before = [compiled.cache_folder(tmp_path / f"{name}.py") for name in ("top", "apart")]
    (tmp_path / "leaf.py").write_text("# changed\n")
    after = [compiled.cache_folder(tmp_path / f"{name}.py") for name in ("top", "apart")]
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_every_import_of_a_kernel_is_seen():
    for file in Path(compiled.__file__).parent.glob("*.py"):
        tree = ast.walk(ast.parse(file.read_text("utf-8")))
        named = [n.module for n in tree if isinstance(n, ast.ImportFrom) and n.module]
        ours = {m.rsplit(".")[-1] for m in named if m.startswith("anonagram.kernels.")}
        assert {each.stem for each in compiled._imported(file)} == ours, file.name


@pytest.mark.parametrize("size", [*range(20), 1000])
def test_keys_are_sorted_in_place(size):
    keys = np.random.default_rng(size).integers(0, max(1, 2 * size), size)
    expected = sorted(keys.tolist())
    sort_keys(keys)
    assert keys.tolist() == expected


def test_a_kernel_in_place_gives_no_array_back():
    counts = np.zeros(3)

    def add(into):
        into[0] += 1.0
        return into[0]

    def give_back(into):
        return into[1:]

    assert compiled.in_place(add)(counts) == counts[0] == 1.0
    with pytest.raises(Exception, match="array"):
        compiled.in_place(give_back)(counts)


@given(st.data())
def test_a_node_has_the_extremes_of_its_own_rows(data):
    sizes = data.draw(st.lists(st.sampled_from([2, 5, 60, 64, 65, 300]), min_size=1, max_size=4))
    nominal = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = np.array(data.draw(st.lists(row, min_size=3, max_size=30)), np.int32)
    ends = np.cumsum([0, *sizes])
    places = np.concatenate([np.linspace(0, 1, size) for size in sizes])
    about = Attributes(np.array(nominal), places, ends, np.array(sizes, float))
    found = room_for_extents(len(sizes))
    find_widths(rows, 1, len(rows), about, found)
    for j, size in enumerate(sizes):
        codes = rows[1:, j]
        low, high, different = codes.min(), codes.max(), len(set(codes.tolist()))
        assert (found.low[j], found.high[j]) == (low, high)
        if different == 1:
            width = 0.0
        elif not nominal[j]:
            width = places[ends[j] + high] - places[ends[j] + low]
        else:
            width = (different if size <= 64 else high - low + 1) / size
        assert found.width[j] == width


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_rows_change_sides_as_two_fingers_would_move_them(sides):
    """Hoare's way: the first row that must go right and the last that must go left change places."""
    size, middle = len(sides), sum(sides)
    expected = list(range(size))
    i, k = 0, size - 1
    while i <= k:
        if sides[expected[i]]:
            i += 1
        elif not sides[expected[k]]:
            k -= 1
        else:
            expected[i], expected[k] = expected[k], expected[i]
    codes = np.arange(size, dtype=np.int32).reshape(-1, 1)
    sensitive, rows = codes.copy(), codes[:, 0].copy()
    order = np.empty(size + 2, np.int32)
    bring_left_first(
        codes, sensitive, rows, 0, middle, size, np.array(sides, np.int8), order
    )  # fmt: skip
    assert codes[:, 0].tolist() == sensitive[:, 0].tolist() == rows.tolist() == expected
