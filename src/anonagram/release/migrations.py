"""Bundles of older formats, brought to the present one a step at a time.

A step takes the descriptor as JSON holds it, after its digest was checked and before anything in it
is decoded: it moves entries, and leaves it to their types to judge them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonagram.errors import ReleaseDamaged

FORMAT = 3
"""The version of the bundle's layout; a higher one was made by newer software."""
WHOLE = 2
"""What a bundle is written with whose tables are a file each: older software reads it as well."""
Content = dict[str, Any]


def migrate(content: Content, where: object) -> Content:
    """The descriptor as the present version would have written it."""
    made_with = content["anonagram"].get("format")
    if type(made_with) is not int or made_with < 1:
        raise ReleaseDamaged(f"{where} has the format {made_with!r}, which no version wrote.")
    if made_with > FORMAT:
        raise ReleaseDamaged(
            f"{where} has the format {made_with}: it was made by newer software; this version reads "
            f"up to {FORMAT}.",
            "pip install --upgrade anonagram",
        )
    for step in range(made_with, FORMAT):
        content = {**content, "anonagram": STEPS[step](dict(content["anonagram"]))}
    return content


def _columns_into_tables(about: Content) -> Content:
    """From 1 to 2: rows and columns belong to a table, and each shape has a section of its own.

    `transition` and `masked` were added while the format stayed 1, and stood beside every shape;
    the first masked releases only said whether values moved or changed.
    """
    rows, transition, masked = (
        about.pop("rows", None),
        about.pop("transition", None),
        about.pop("masked", None),
    )
    table = {
        "name": "data",
        "rows": {
            "original": rows,
            "published": rows,
            "suppressed": about.pop("suppressed_rows", 0),
        },
        "columns": about.pop("columns", None),
        "dropped_columns": about.pop("dropped_columns", 0),
    }
    if isinstance(masked, dict):
        masked = {
            name: {"how": how} if isinstance(how, str) else how for name, how in masked.items()
        }
    sections = {} if transition is None else {"perturbed": transition}
    if masked or about.get("shape") == "masked":
        sections["masked"] = {"columns": masked}
    return {**about, "format": 2, "tables": [table], **sections}


def _in_one_file(about: Content) -> Content:
    """From 2 to 3: a table may be a folder of parts; every one of before is a file."""
    return {**about, "format": 3}


STEPS: dict[int, Callable[[Content], Content]] = {1: _columns_into_tables, 2: _in_one_file}
"""For each format how it becomes the next."""
