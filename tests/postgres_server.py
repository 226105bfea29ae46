"""A PostgreSQL server for as long as tests take."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def find_programs() -> Path | None:
    """Where PostgreSQL's programs are, if it is installed."""
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), Path("/usr/local/bin")]
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """The address of a server that is gone afterwards."""
    # PostgreSQL refuses to run as root
    user = {"user": "postgres"} if os.getuid() == 0 else {}
    home = Path("/tmp") / f"anonagram-postgres-{os.getpid()}"
    home.mkdir()
    if user:
        shutil.chown(home, "postgres")
    port, data = 20000 + os.getpid() % 20000, home / "data"
    initdb = [programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8"]
    subprocess.run(initdb, check=True, capture_output=True, cwd=home, **user)  # type: ignore[call-overload]
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-p", str(port), "-k", home, "-c", "fsync=off"],
        cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user,
    )  # type: ignore[call-overload]  # fmt: skip
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

    for _ in range(400):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError("the PostgreSQL server did not start")
