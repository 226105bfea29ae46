"""What a recipe says: a table, how it is published, where to, and what must hold.

>>> recipe = Recipe(data="a.csv", schema="a.toml", method="anatomy(l=4)", write=Written("release-{month}"))
>>> print(recipe.to_toml())
data = "a.csv"
schema = "a.toml"
method = "anatomy(l=4)"
<BLANKLINE>
[write]
release = "release-{month}"
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import msgspec

from anonagram.comparison.trial import Purpose
from anonagram.schema import toml_key, toml_value

RECIPE = "anonagram.toml"
"""What a recipe is called unless told otherwise."""
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Points(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An intruder may score so many points more than without the release."""

    points: Annotated[float, msgspec.Meta(ge=0, le=100)]


Limit = Share | Literal["withstands"] | Points
"""What an intruder may score at most, be it his verdict, a share, or points above what he knew."""


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where results go; {date}, {month} and {year} are those of the run."""

    release: str
    private: str | None = None
    report: str | None = None
    pdf: bool = False
    comparison: str | None = None
    format: Literal["parquet", "csv"] = "parquet"
    page: bool = True
    help_table: bool = False


class Compared(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How methods are compared, where that is asked for."""

    purpose: Purpose = "counting"
    seconds: Annotated[int, msgspec.Meta(ge=1)] | None = None
    methods: str | None = None


class Recipe(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """A routine for one table that is published again and again."""

    data: str
    schema: str
    method: str
    key: str | None = None
    """A file with the key; without one a new key is drawn every time."""
    checks: tuple[str, ...] = ()
    """Models that must hold, beside what the method promises."""
    write: Written
    attacks: dict[str, Limit] = {}
    """Intruders, or "everybody", and what they may get at most."""
    compare: Compared | None = None

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A recipe from its file; what is wrong in it is named with its line."""
        from anonagram.recipes.reading import read_recipe

        return read_recipe(cls, Path(path))

    def to_toml(self, comments: Mapping[str, str] | None = None) -> str:
        """The text of its file, with a comment above an entry where one is given."""
        lines = _lines(msgspec.to_builtins(self), "", comments or {})
        return "\n".join(lines) + "\n"


def _lines(content: Mapping[str, Any], table: str, comments: Mapping[str, str]) -> list[str]:
    """Entries of a table, and after them the tables inside it."""
    lines = []
    for name, value in content.items():
        path = f"{table}.{name}" if table else name
        lines += [f"# {comment}" for comment in comments.get(path, "").splitlines()]
        if isinstance(value, Mapping) and not table:
            lines += ["", f"[{name}]", *_lines(value, path, comments)]
        else:
            lines.append(f"{toml_key(name)} = {toml_value(value)}")
    return lines
