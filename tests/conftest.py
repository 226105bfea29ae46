"""Fixtures that many tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

# a machine under load must not fail a property that holds; the full run looks harder
settings.register_profile("quick", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "full", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("ANONAGRAM_TEST_PROFILE", "quick"))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Finds a real table by its path below the shared data folder, or skips."""

    def find(name: str) -> Path:
        path = SHARED_DATA / name
        if not path.exists():
            pytest.skip(f"the real table {name} is not on this machine (it is not ours to ship)")
        return path

    return find


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def anonagram() -> Run:
    """Runs the command line in a process of its own, as a user does."""

    def run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anonagram", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]

    return run


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server that lives as long as the tests."""
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), Path("/usr/local/bin")]
    found = [place for place in places if (place / "initdb").exists()]
    if not found:
        pytest.skip("no PostgreSQL server is installed (scripts/test installs one as root)")
    # PostgreSQL refuses to run as root
    user = {"user": "postgres"} if os.getuid() == 0 else {}
    home = Path("/tmp") / f"anonagram-postgres-{os.getpid()}"
    home.mkdir()
    if user:
        shutil.chown(home, "postgres")
    port = 20000 + os.getpid() % 20000
    data = home / "data"
    initdb = [found[0] / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8"]
    subprocess.run(initdb, check=True, capture_output=True, cwd=home, **user)
    server = subprocess.Popen(
        [found[0] / "postgres", "-D", data, "-p", str(port), "-k", home, "-c", "fsync=off"],
        cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user,
    )  # fmt: skip
    url = f"postgresql://tester@127.0.0.1:{port}/postgres"
    try:
        _wait_for(url)
        yield url
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(home, ignore_errors=True)


def _wait_for(url: str) -> None:
    import psycopg

    for _ in range(200):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError("the PostgreSQL server did not start")
