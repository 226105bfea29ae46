"""The door for whoever has a session of Apache Spark, and a table in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonagram.key import Key
    from anonagram.methods import Method
    from anonagram.release import OpenedRelease


def anonymize(
    frame: Any,
    schema: Any,
    method: Method | str,
    key: Key,
    path: str | Path,
    *,
    block: int | None = None,
    force: bool = False,
    tell: Callable[[str], object] = lambda _note: None,
) -> OpenedRelease:
    """Make and verify a release of a Spark DataFrame, and write it as a folder of Parquet parts.

    The folder must be one that all executors reach under the same path, and Anonagram must be
    installed where they run. The same key gives the same release, whatever the number of partitions,
    executors and retries; the rows of a block are part of what defines it. `tell` (such as `print`)
    hears what should be known of the table, such as values that seem to stand for a missing one.
    """
    from anonagram.divided import BLOCK, publish
    from anonagram.divided.on_spark import RowsOnSpark
    from anonagram.engines.spark_table import SparkTable
    from anonagram.methods import Method

    chosen = Method.parse(method) if isinstance(method, str) else method
    rows = RowsOnSpark(SparkTable(frame), "the Spark frame")
    return publish(
        rows, schema, chosen, key, Path(path), block=block or BLOCK, force=force, tell=tell
    )
