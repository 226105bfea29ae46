from __future__ import annotations

import os
import subprocess
import sys

import pytest

COLUMNS = """
import resource
import numpy as np
from anonagram.runtime.memory import keep_freed

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def ten_tables():
    before = faults()
    for _ in range(10):
        [np.ones(500_000, np.int32) for _ in range(40)]
    return faults() - before

given_back = ten_tables()
keep_freed()
ten_tables()
print(given_back, ten_tables())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is changed")
def test_what_is_freed_is_used_again():
    done = subprocess.run(
        [sys.executable, "-c", COLUMNS], capture_output=True, text=True, check=True
    )
    given_back, kept = map(int, done.stdout.split())
    assert kept < given_back / 10


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is changed")
def test_what_somebody_set_stays():
    script = (
        "from anonagram.runtime.memory import keep_freed; keep_freed(); import os;"
        "print(os.environ['_RJEM_MALLOC_CONF'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"_RJEM_MALLOC_CONF": "narenas:3"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "narenas:3"
