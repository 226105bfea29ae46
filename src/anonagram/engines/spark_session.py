"""A session of Apache Spark at an address, as Spark itself writes addresses."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from anonagram.errors import InputError, MissingExtra

MASTER = re.compile(
    r"local|local\[[0-9*, ]+\]|local-cluster\[([0-9]+),([0-9]+),([0-9]+)\]|spark://.+|yarn|k8s://.+"
)
LOCAL_MEMORY = "4g"
"""Of a session inside one process, where nothing else is said."""
ROWS_A_BATCH = 1 << 16


def is_master(address: str) -> bool:
    """Whether it is an address as Spark writes them.

    >>> is_master("local[*]"), is_master("postgresql://me@localhost/clinic")
    (True, False)
    """
    return MASTER.fullmatch(address) is not None


@contextmanager
def session_at(master: str) -> Iterator[Any]:
    """A session that ends with the work; one that is there already is used and left as it is."""
    read = MASTER.fullmatch(master)
    if read is None:
        raise InputError(
            f"{master!r} is no address of Spark.",
            "spark://host:7077, local[*] or local-cluster[2,1,4096].",
        )
    sql = spark_sql()
    found = sql.SparkSession.getActiveSession()
    if found is not None:
        yield found
        return
    with tempfile.NamedTemporaryFile(prefix="spark-", suffix=".log") as log, _quietly():
        with explained(), _errors_into(log.fileno()):
            session = _begun(sql, master, read[3])
        try:
            yield session
        finally:
            with suppress(ConnectionError):  # it may have ended before
                session.stop()


@contextmanager
def _errors_into(file: int) -> Iterator[None]:
    """What is started meanwhile writes its log there and not between our lines, until it ends."""
    sys.stderr.flush()
    terminal = os.dup(2)
    try:
        os.dup2(file, 2)
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


@contextmanager
def _quietly() -> Iterator[None]:
    """Without Spark's word on a pandas that is newer than it knows; no pandas is used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully", FutureWarning)
        yield


@contextmanager
def explained() -> Iterator[None]:
    """What Spark finds wrong in a sentence: its own errors are pages of Java."""
    try:
        yield
    except ConnectionError as error:
        raise InputError(
            "Spark ended while it was at work.",
            "look whether it was stopped or ran out of memory; nothing was published.",
        ) from error
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        told = str(getattr(error, "java_exception", None) or error).strip().splitlines()
        raise InputError(
            f"Spark did not do it: {told[0] if told else type(error).__name__}",
            "look at what its executors wrote; nothing was published.",
        ) from error


def spark_sql() -> Any:
    """The library, where it and Java are there."""
    try:
        import pyspark.sql as sql
    except ModuleNotFoundError as error:
        raise MissingExtra("pyspark", "spark") from error
    return sql


def _begun(sql: Any, master: str, worker_memory: str | None) -> Any:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise InputError(
            "Spark needs Java, and there is none.", "apt-get install openjdk-17-jre-headless"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master(master).appName("anonagram")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_A_BATCH),
        "spark.log.level": "ERROR",
    }
    if master.startswith("local"):
        settings["spark.driver.memory"] = LOCAL_MEMORY
    if worker_memory is not None:  # workers are started from the folder of the library
        os.environ.setdefault("SPARK_HOME", str(Path(sql.__file__).parent.parent))
        settings["spark.executor.memory"] = f"{worker_memory}m"
        settings["spark.driver.memory"] = "1g"
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def read_source(session: Any, source: str) -> tuple[Any, bool]:
    """A table that Spark reads, by its path or its name, and whether all of it is text."""
    path = Path(source)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv", ".txt"):
        options = {"header": "true", "sep": "\t" if ending == ".tsv" else ",", "escape": '"'}
        return session.read.options(**options, multiLine="true").csv(source), True
    if ending == ".orc":
        return session.read.orc(source), False
    if ending in (".json", ".jsonl", ".ndjson"):
        return session.read.json(source), False
    if "/" in source or ending == ".parquet" or path.exists():
        return session.read.parquet(source), False
    return session.table(source), False
