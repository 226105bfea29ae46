"""The same release on Apache Spark, whatever the partitions, and whoever is lost meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from anonagram import KAnonymity, LDiversity, Method, Release
from anonagram.divided import on_spark as place
from anonagram.divided import publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.divided.on_spark import CodedRowsOnSpark, RowsOnSpark
from anonagram.divided.rows import ValueCodes, count_leaves
from anonagram.engines.spark_session import read_source, session_at
from anonagram.engines.spark_table import SparkTable
from anonagram.errors import CannotAnonymize, InputError, UnsupportedQuery
from anonagram.kernels.row_hashes import hash_rows
from anonagram.partition.cuts import Cuts
from anonagram.partition.equal_rows import Contents
from anonagram.partition.sampling import WHOLE, Draw
from anonagram.release import OpenedRelease
from tests.divided.tables import (
    ASKED,
    BLOCK,
    CALLS,
    DAY,
    KEY,
    ROLES,
    crowded_table,
    hashes_in,
    require_spark,
    table_for,
)
from tests.divided.test_asked_on_disk import QUESTIONS, answered, rounded


# Spark warns of a pandas that is newer than it knows, and leaves sockets to the end of the process
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_a_cluster_makes_what_one_machine_makes(tmp_path, monkeypatch):
    """One test, so that tests that run beside each other start one cluster and not several."""
    require_spark()
    with session_at("local-cluster[2,1,1024]") as spark:
        spark.conf.set("spark.sql.shuffle.partitions", "4")  # 200 are for more rows than these
        hashes_and_cuts_are_those_of_the_kernels(spark, tmp_path / "hashes")
        for call in CALLS:
            releases_are_the_same(spark, Method.parse(call), tmp_path / call.split("(")[0])
        rows_that_no_column_tells_apart_are_dealt(spark, tmp_path / "crowded")
        an_executor_that_is_killed_changes_nothing(spark, tmp_path / "killed")
        monkeypatch.setattr(place, "MOST_VALUES", 5)
        a_column_with_too_many_values_is_refused(spark, tmp_path / "many")


def on_cluster(spark: Any, path: Path, method: Method, to: Path, parts: int) -> dict[str, str]:
    frame, is_text = read_source(spark, str(path))
    rows = RowsOnSpark(SparkTable(frame.repartition(parts)), path.name, is_text)
    publish(rows, ROLES, method, KEY, to, block=BLOCK, created=DAY)
    return hashes_in(to)


def written(method: Method, folder: Path, rows: int = 600) -> Path:
    folder.mkdir()
    table_for(method, rows).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def releases_are_the_same(spark: Any, method: Method, folder: Path) -> None:
    path = written(method, folder)
    rows = RowsOnDisk.at(path, 4 << 30)
    publish(rows, ROLES, method, KEY, folder / "one", block=BLOCK, created=DAY)
    # of every way to divide rows all numbers of partitions; a cluster takes seconds for each
    for parts in (1, 2, 7) if method.call in ("anatomy", "random", "ke") else (7,):
        to = folder / f"cluster-{parts}"
        assert on_cluster(spark, path, method, to, parts) == hashes_in(folder / "one")
    Release.read(to)
    if repr(method) in map(repr, map(Method.parse, ASKED)):
        answers_are_those_of_duckdb(Release.open(to), method)
    findings_and_figures_are_those_of_one_machine(Release.open(to), path)


ON_SPARK = [
    *QUESTIONS,
    "SELECT SUM(age), AVG(age), COUNT(age) FROM data WHERE disease IS NOT NULL AND sex = 'F'",
    "SELECT disease, COUNT(*) FROM data WHERE age > 40 GROUP BY disease ORDER BY disease",
    "SELECT sex, AVG(age) AS mean FROM data GROUP BY sex HAVING COUNT(*) > 9 ORDER BY mean DESC",
    "SELECT COUNT(*) FROM data WHERE admitted >= '2024-01-15' AND age BETWEEN 20 AND 45.5",
    "SELECT COUNT(*) FROM data WHERE zip IN ('a''b', 'c\\d', '91110') OR age <> 30",
    "SELECT MIN(disease), MAX(disease), SUM(age) FROM data WHERE age < 50 AND zip <> '91104'",
]
NOT_ON_SPARK = [
    "SELECT COUNT(*) FROM data WHERE UPPER(sex) = 'F'",
    "SELECT COUNT(*) FROM data WHERE age / 2 > 20",
    "SELECT MEDIAN(age) FROM data",
    "SELECT COUNT(*) FROM data WHERE sex = 1",
]


def rows_that_no_column_tells_apart_are_dealt(spark: Any, folder: Path) -> None:
    folder.mkdir()
    method, path = Method.parse("anatomy(l=3)"), folder / "table.parquet"
    crowded_table().write_parquet(path)
    publish(
        RowsOnDisk.at(path, 4 << 30), ROLES, method, KEY, folder / "disk", block=BLOCK, created=DAY
    )
    assert on_cluster(spark, path, method, folder / "cluster", 3) == hashes_in(folder / "disk")


def answers_are_those_of_duckdb(release: OpenedRelease, method: Method) -> None:
    """The same statement in Spark's words; what may mean something else there is refused."""
    asked = partial(release.query, engine="local-cluster[2,1,1024]")
    if method.call == "generalize":
        with pytest.raises(UnsupportedQuery, match="ranges and sets"):
            asked(ON_SPARK[0])
        return
    # what a question means does not depend on the method: all are asked of one, a third of the others
    questions = ON_SPARK if method.call == "permutation" else ON_SPARK[::3]
    told = [answered(release.query, sql) for sql in questions]
    answers = sum(isinstance(each[0], dict) for each in told)
    assert answers >= (2 if method.call == "random" else len(questions))
    assert [answered(asked, sql) for sql in questions] == told
    for sql in NOT_ON_SPARK:
        with pytest.raises(UnsupportedQuery):
            asked(sql)


def findings_and_figures_are_those_of_one_machine(release: OpenedRelease, table: Path) -> None:
    """The same passes over the same parts, on executors."""
    there = "local-cluster[2,1,1024]"
    is_masked = release.shape.alike_over_blocks(release.manifest) is not None
    models = [LDiversity(l=4)] if release.has_groups else []
    models += [KAnonymity(k=2)] if release.has_groups or is_masked else []
    assert release.check(*models, engine=there) == release.check(*models)
    if is_masked:  # it is neither asked nor measured in parts
        return
    assert not models or not release.check(*models)[0].holds
    asked = {"queries": 15, "conditions": 2, "volume": 0.4}
    ours, theirs = (release.workload(table, engine=each, **asked) for each in (None, there))
    assert rounded(theirs.to_dict()) == rounded(ours.to_dict())
    if release.has_groups:
        measured = [asdict(release.measure(table, engine=each)) for each in (None, there)]
        for each in measured:  # what a model gets without the release is learned on another sample
            assert len(each.pop("foretold")) in (0, 1)
        assert rounded(measured[0]) == rounded(measured[1])


def hashes_and_cuts_are_those_of_the_kernels(spark: Any, folder: Path) -> None:
    folder.mkdir()
    table = pl.DataFrame({"a": [3, 1, 2, 2], "b": [0.0, -0.0, float("nan"), None]}).with_columns(
        f=pl.Series([0.1, -0.0, 0.0, None], dtype=pl.Float32)
    )
    table.write_parquet(folder / "table.parquet")
    source = SparkTable(spark.read.parquet(str(folder / "table.parquet")))
    assert sorted(source.distinct(["a", "b"], 10)["b"].rows(), key=str) == [(0.0, 2), (None, 2)]
    rows = RowsOnSpark(source, "the table")
    (folder / "f").mkdir()
    for counted in (source.distinct(["f"], 10), rows.drafted(["f"], folder / "f").counted):
        assert counted["f"]["value"].dtype == pl.Float32
        assert dict(counted["f"].rows()) == {
            pl.Series([0.1], dtype=pl.Float32)[0]: 1,
            0.0: 2,
            None: 1,
        }
    drafted = rows.drafted(["a", "b"], folder)
    assert sorted(drafted.counted["b"].rows(), key=str) == [(0.0, 2), (None, 2)]
    coded = drafted.coded(
        {
            "a": ValueCodes(pl.Series([1, 2, 3]), np.array([0, 1, 2, 3], np.int32)),
            "b": ValueCodes(pl.Series([0.0]), np.array([0, 1], np.int32)),
        }
    ).codes
    secret = np.array([7, -8], np.int32)
    everybody = Contents.together(coded.map_equal(Contents.of, Contents))
    rows = everybody.repeated()
    assert sorted(map(tuple, rows.tolist())) == [(0, 0), (1, 1), (1, 1), (2, 0)]
    high = hash_rows(rows, secret) >> np.uint64(32)
    here = CodedRowsOnSpark(coded)
    for limit in (int(np.unique(high)[1]), 2**32):
        for share in (WHOLE, WHOLE // 2, WHOLE // 3):
            which = Draw(secret, limit, share)
            expected = which.kept(which.among(rows)).repeated()
            assert sorted(here.draw(which).repeated().tolist()) == sorted(expected.tolist())
    tree = [np.array(each, np.int32) for each in ([0, 1], [1, 0], [1, ~2], [~0, ~1])]
    cuts = Cuts(*tree, leaves=3)
    (counted,) = coded.map_runs(partial(count_leaves, cuts=cuts, proven=[1]))
    assert counted.by_leaf().rows == dict(leaves_of(rows))
    blocks = coded.map_blocks(cuts.find, 3, lambda number, codes: (number, codes.tolist()))
    assert [(number, len(codes)) for _, (number, codes) in blocks] == leaves_of(rows)
    assert sorted(tuple(row) for _, (_, codes) in blocks for row in codes) == sorted(
        map(tuple, rows.tolist())
    )


def leaves_of(rows: np.ndarray) -> list[tuple[int, int]]:
    """The tree above by hand: a > 1 is leaf 0; else b > 0 is leaf 1 and the rest leaf 2."""
    found = [0 if a > 1 else 1 if b > 0 else 2 for a, b in rows.tolist()]
    return [(leaf, found.count(leaf)) for leaf in (0, 1, 2)]


def a_column_with_too_many_values_is_refused(spark: Any, folder: Path) -> None:
    method = Method.parse(CALLS[0])
    path = written(method, folder)
    with pytest.raises(CannotAnonymize, match="different values"):
        on_cluster(spark, path, method, folder / "release", 2)
    assert [each.name for each in folder.iterdir()] == [path.name]


def an_executor_that_is_killed_changes_nothing(spark: Any, folder: Path) -> None:
    method = Method.parse(CALLS[1])
    path = written(method, folder)
    expected = on_cluster(spark, path, method, folder / "undisturbed", 2)
    victim = executors_of(os.getpid())[0]
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    made = on_cluster(spark, path, method, folder / "disturbed", 2)
    killer.join()
    deadline = time.monotonic() + 60
    while victim in executors_of(os.getpid()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert victim not in executors_of(os.getpid())
    assert made == expected


def executors_of(process: int) -> list[int]:
    """The executors among the processes that a process started, and that those started."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    lines = [line.split(None, 2) for line in listed.splitlines()]
    ours = {process}
    for _ in range(8):
        ours |= {int(pid) for pid, parent, *_ in lines if int(parent) in ours}
    return [
        int(pid)
        for pid, _, *words in lines
        if int(pid) in ours and "CoarseGrainedExecutorBackend" in " ".join(words)
    ]


def test_what_is_no_address_is_refused():
    with pytest.raises(InputError, match="no address"), session_at("duckdb:"):
        pass
