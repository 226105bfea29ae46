"""Fixtures that many tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser as browser
from tests.inside import Done, run_inside
from tests.postgres_server import find_programs, running_server

ROOT = Path(__file__).parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

# a machine under load must not fail a property that holds
ANY_MACHINE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# the same examples on every run, so that a red one means a change; the full run looks harder, and
# elsewhere each time
settings.register_profile("quick", max_examples=50, derandomize=True, **ANY_MACHINE)
settings.register_profile("full", max_examples=2000, **ANY_MACHINE)
settings.load_profile(os.environ.get("ANONAGRAM_TEST_PROFILE", "quick"))

if "PYTEST_XDIST_WORKER" in os.environ:
    # as many test processes as processors: threads beside each other would only wait for each other
    os.environ.setdefault("ANONAGRAM_THREADS", "1")


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Finds a real table by its path below the shared data folder, or skips."""

    def find(name: str) -> Path:
        path = SHARED_DATA / name
        if not path.exists():
            pytest.skip(f"the real table {name} is not on this machine (it is not ours to ship)")
        return path

    return find


@pytest.fixture(scope="session")
def anonagram() -> Callable[..., Done]:
    """The command line, in this process."""
    return run_inside


@pytest.fixture(scope="session")
def anonagram_process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line in a process of its own, with threads: streams, signals, exit codes matter."""

    def run(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anonagram", *map(str, words)]
        given = options.get("env", os.environ)
        options["env"] = {k: v for k, v in given.items() if k != "ANONAGRAM_THREADS"}
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return run


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a PostgreSQL server that lives as long as the tests."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed (scripts/test installs one as root)")
    with running_server(programs) as url:
        yield url
