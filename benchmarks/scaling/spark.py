"""The same release on Spark and on one machine's disk, beside Spark's own global sort of the table.

Run: python -m benchmarks.scaling.spark --rows 10000000 --master "local[2]" [--memory 4] [--quality]

The table is like CENSUS (benchmarks/census.py), made by Spark itself, seeded. Sort, anatomy and
permutation run one after the other in one session; processor time is that of this process and of all
that it started, so that a busy machine disturbs less. Questions are asked of the anatomy on disk, in
DuckDB with 4 GiB, beside the plain question over the original's Parquet files.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from anonagram import Key, Method, Release
from anonagram.divided import BLOCK, publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.divided.on_spark import RowsOnSpark
from anonagram.engines.spark_session import session_at
from anonagram.engines.spark_table import SparkTable
from anonagram.measures import Workload, run_workload
from anonagram.measures.ncp import Ncp
from anonagram.runtime.progress import listening
from benchmarks.census import DOMAINS, NOMINAL, QUASI, census, census_frame

KEY = Key(bytes(range(32)))
PART = 500_000
METHODS = ("anatomy(l=10)", "permutation(l=10)")
ROLES = {
    name: {"role": "quasi" if name in QUASI else "sensitive",
           "kind": "nominal" if name in (*NOMINAL, "Occupation") else "numeric"}
    for name in DOMAINS if name != "Salary"
} | {"Salary": "drop"}  # fmt: skip
QUESTIONS = (
    "SELECT AVG(Age) FROM data WHERE Education BETWEEN 3 AND 9",
    "SELECT COUNT(*) FROM data WHERE Age > 40 AND Occupation = 7",
    "SELECT Gender, COUNT(*) FROM data WHERE Age > 40 GROUP BY Gender",
)


def make(session: Any, rows: int, path: Path) -> None:
    """Write the table, a part a task."""

    def part(batches: Any) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                size = min(PART, rows - number * PART)
                yield from census_frame(size, 1 + number).to_arrow().to_batches()

    parts = -(-rows // PART)
    columns = ", ".join(f"{name} int" for name in DOMAINS)
    session.range(0, parts, 1, parts).mapInArrow(part, columns).write.parquet(str(path))


def processor_time() -> float:
    """Seconds of this process and of all that it started and that still run, or that they waited for."""
    ours, seconds = {os.getpid()}, 0.0
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found.append((int(folder.name), int(fields[1]), sum(map(int, fields[11:15]))))
    for _ in range(6):
        ours |= {pid for pid, parent, _ in found if parent in ours}
    for pid, _, ticks in found:
        seconds += ticks / os.sysconf("SC_CLK_TCK") if pid in ours else 0
    return seconds


@contextmanager
def timed(what: str, told: dict[str, float]) -> Iterator[None]:
    began, cpu = time.perf_counter(), processor_time()
    yield
    told[what] = processor_time() - cpu
    print(
        f"{what}: {time.perf_counter() - began:.1f} s, {told[what]:.1f} s of processors", flush=True
    )


def stages(work: Callable[[], Any]) -> None:
    """Run work and tell how long each of its steps took, by the clock and of processors."""
    marks: list[tuple[str, float, float]] = []

    def mark(name: str) -> None:
        marks.append((name, time.perf_counter(), processor_time()))

    with listening(mark):
        work()
    mark("")
    took: dict[str, list[float]] = {}
    for (name, *start), (_, *end) in pairwise(marks):  # a step may come again for every block
        found = took.setdefault(name, [0.0, 0.0])
        took[name] = [t + e - s for t, s, e in zip(found, start, end, strict=True)]
    clock, processors = (sum(each) for each in zip(*took.values(), strict=True))
    shares = [
        f"{name} {seconds / clock:.0%} ({busy / processors:.0%})"
        for name, (seconds, busy) in took.items()
    ]
    print("  " + ", ".join(shares), flush=True)


def on_cluster(rows: int, master: str, folder: Path) -> None:
    told: dict[str, float] = {}
    with session_at(master) as session:
        with timed("make and write", told):
            make(session, rows, folder / "table")
        frame = session.read.parquet(str(folder / "table")).drop("Salary")
        with timed("sort by seven columns and write", told):
            frame.sort(*QUASI).write.parquet(str(folder / "sorted"))
        for call in METHODS:
            method = Method.parse(call)
            with timed(call, told):
                table = RowsOnSpark(
                    SparkTable(session.read.parquet(str(folder / "table"))), "census"
                )
                to = folder / method.call
                stages(lambda t=table, m=method, o=to: publish(t, ROLES, m, KEY, o))
            ratio = told[call] / told["sort by seven columns and write"]
            print(f"  {ratio:.2f} times the sort, by processor time", flush=True)


def on_disk(memory: int, folder: Path) -> None:
    """In a process of its own, whose highest memory is told."""
    script = (
        "import resource, sys; from benchmarks.scaling.spark import publish_on_disk; "
        "publish_on_disk(sys.argv[1], int(sys.argv[2])); "
        "print('  highest memory', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, 'MiB')"
    )
    told: dict[str, float] = {}
    with timed(f"{METHODS[0]} --memory {memory}GiB", told):
        subprocess.run([sys.executable, "-c", script, str(folder), str(memory << 30)], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"  processors of children in all {used.ru_utime + used.ru_stime:.1f} s")
    one, other = folder / "anatomy", folder / "on-disk"
    same = all(
        each.read_bytes() == (other / each.relative_to(one)).read_bytes()
        for each in one.rglob("*.parquet")
    )
    print(f"  the same bytes as on Spark: {same}", flush=True)


def publish_on_disk(folder: str, memory: int) -> None:
    rows = RowsOnDisk.at(Path(folder) / "table", memory)
    stages(lambda: publish(rows, ROLES, Method.parse(METHODS[0]), KEY, Path(folder) / "on-disk"))


def questions(folder: Path) -> None:
    release = Release.open(folder / "anatomy")
    for sql in QUESTIONS:
        told: dict[str, float] = {}
        with timed(sql, told):
            release.query(sql)
        connection = duckdb.connect(config={"memory_limit": "4GB"})
        connection.execute(
            f"CREATE VIEW data AS SELECT * FROM read_parquet('{folder}/table/*.parquet')"
        )
        with timed("  the plain question", told):
            connection.execute(sql).fetchall()


def quality(rows: int = 1_000_000, block: int = 100_000, queries: int = 300) -> None:
    """Detail lost by a divided release and errors of its answers, beside those of the table as a whole."""
    data = census(rows)
    asked = Workload.draw(data, queries=queries)
    for call in METHODS:
        told: dict[str, list[float]] = {"NCP": [], "median error": [], "mean error": []}
        for each in (block, None):
            release = Method.parse(call).publish(data, KEY, block=each).release
            error = run_workload(release, data, asked).error
            told["NCP"].append(Ncp.of(release).per_cell)
            told["median error"].append(error.median)
            told["mean error"].append(error.mean)
        print(f"{call}, {rows:,} rows, blocks of {block:,}, {queries} COUNTs:", flush=True)
        for name, (divided, whole) in told.items():
            print(
                f"  {name} {divided:.5f}, whole {whole:.5f}, {divided / whole:.3f} times",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", type=int, default=4)
    parser.add_argument("--folder", help="Where there is room for the table and its releases.")
    parser.add_argument("--quality", action="store_true")
    given = parser.parse_args()
    # executors make the table with benchmarks.census
    given_paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([os.getcwd(), *filter(None, given_paths)])
    if given.quality:
        quality()
        return
    print(
        f"{given.rows:,} rows × {len(ROLES) - 1}, blocks of {BLOCK:,}, {given.master}", flush=True
    )
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        on_cluster(given.rows, given.master, Path(folder))
        on_disk(given.memory, Path(folder))
        questions(Path(folder))


if __name__ == "__main__":
    main()
