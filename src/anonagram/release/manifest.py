"""The transparency manifest: everything about a release except the key.

Method, every parameter, what is claimed and what was measured, by Kerckhoffs' principle
(Domingo-Ferrer and Muralidhar 2016, Definition 4). Never the key, a mapping, the input's order, or
anything of a dropped column but how many there were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime
from typing import Any, Self

from anonagram import __version__
from anonagram.columns.hierarchy import value_texts
from anonagram.errors import ReleaseDamaged
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.release import entries
from anonagram.release.masking import Masking
from anonagram.release.transition import Transition
from anonagram.schema import KINDS

PUBLISHED = ("quasi", "sensitive", "plain")
FORMAT = 1
"""The version of the bundle's layout; a higher one was made by newer software."""


@dataclass(frozen=True)
class Claim:
    """A promise of the release, and the level it reached when it was made."""

    model: str
    achieved: float


@dataclass(frozen=True)
class PublishedColumn:
    """What is told about a published column."""

    name: str
    role: str
    kind: str
    order: tuple[str, ...] | None = None
    """The values of an ordinal column from lowest to highest."""

    @property
    def is_ordered(self) -> bool:
        """Whether values lie between others, so that a range says something."""
        return self.kind != "nominal"


@dataclass(frozen=True)
class Manifest:
    """What a release says about itself."""

    method: str
    rows: int
    columns: tuple[PublishedColumn, ...]
    layout: Mapping[str, str]
    """The names that columns of our own got in the tables (they avoid the data's names)."""
    key_commitment: str
    key_salt: str = ""
    """What the commitment was made with, in hexadecimal; older releases have none."""
    dropped_columns: int = 0
    suppressed_rows: int = 0
    claims: tuple[Claim, ...] = ()
    risk: Mapping[str, float] = field(default_factory=dict)
    utility: Mapping[str, float] = field(default_factory=dict)
    transition: Transition | None = None
    """How values were replaced, for a shape whose values were."""
    masked: Mapping[str, Masking] = field(default_factory=dict)
    """What was done to each column of a masked table that was masked."""
    created: str = ""
    software: str = f"anonagram {__version__}"

    def named(self, *roles: str) -> list[str]:
        """The names of the columns with one of these roles."""
        return [column.name for column in self.columns if column.role in roles]

    def column(self, name: str) -> PublishedColumn:
        """What is told about a column."""
        return next(column for column in self.columns if column.name == name)

    def columns_of(self, *roles: str) -> tuple[PublishedColumn, ...]:
        """What is told about the columns with one of these roles."""
        return tuple(column for column in self.columns if column.role in roles)

    def with_layout(self, own: Iterable[str]) -> Self:
        """The manifest with names for columns of our own that no column of the data has."""
        layout: dict[str, str] = {}
        for name in own:
            taken = [*(column.name for column in self.columns), *layout.values()]
            layout[name] = free_name(name, taken)
        return replace(self, layout=layout)

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Any, where: str) -> Self:
        """Read the JSON form strictly."""
        if isinstance(content, dict):
            content = {"key_salt": "", **content}
        expected = {f.name for f in fields(cls)}
        if not isinstance(content, dict) or set(content) != expected:
            found = set(content) if isinstance(content, dict) else set()
            odd = ", ".join(sorted(found ^ expected)) or "everything"
            raise ReleaseDamaged(
                f"{where}: the manifest does not have the entries it should ({odd})."
            )
        try:
            manifest = cls(
                **{
                    **content,
                    "columns": tuple(_published_column(column) for column in content["columns"]),
                    "claims": tuple(Claim(**claim) for claim in content["claims"]),
                    "transition": _transition(content["transition"]),
                    "masked": {n: _masking(how) for n, how in content["masked"].items()},
                }
            )
            manifest._require_entries()
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ReleaseDamaged(f"{where}: the manifest is malformed ({error}).") from error
        return manifest

    def _require_entries(self) -> None:
        """Raise TypeError or ValueError where an entry is not what it should be."""
        entries.require_texts(self.method, self.key_commitment, self.created, self.software)
        if not re.fullmatch("([0-9a-f]{64})?", self.key_salt):
            raise TypeError("key_salt")
        entries.require_texts(*self.layout, *self.layout.values(), *self.risk, *self.utility)
        entries.require_texts(*(claim.model for claim in self.claims))
        entries.require_whole(self.rows, self.dropped_columns, self.suppressed_rows)
        entries.require_numbers(*self.risk.values(), *self.utility.values())
        entries.require_numbers(*(claim.achieved for claim in self.claims))
        if self.transition is not None:
            entries.require_whole(self.transition.attributes)
            entries.require_numbers(*self.transition.replaced.values())
        if self.created:
            date.fromisoformat(self.created)
        for column in self.columns:
            if column.role not in PUBLISHED or column.kind not in KINDS:
                raise TypeError(f"column {column.name!r}")
            if (column.order is None) != (column.kind != "ordinal"):
                raise TypeError(f"the order of {column.name!r}")
        names = [column.name for column in self.columns]
        entries.require_different(names)
        entries.require_texts(*names)
        if odd := [name for name in self.masked if name not in names]:
            raise TypeError(f"there is no masked column {odd[0]!r}")

    def require_layout(self, own: Iterable[str]) -> None:
        """Check that the columns of our own that a shape needs have names, which nobody else has."""
        lowered = [name.lower() for name in self.layout.values()]
        taken = {column.name.lower() for column in self.columns}
        if set(self.layout) != set(own) or len(set(lowered) - taken) < len(lowered):
            raise ReleaseDamaged("The manifest does not name the columns that are not the data's.")


def _transition(content: Any) -> Transition | None:
    return None if content is None else Transition(**content)


def _masking(content: dict[str, Any]) -> Masking:
    return Masking(**{**content, "order": entries.order_of(content["order"])})


def _published_column(content: dict[str, Any]) -> PublishedColumn:
    return PublishedColumn(**{**content, "order": entries.order_of(content.get("order"))})


def describe(method: str, microdata: Microdata, key: Key, created: date | None) -> Manifest:
    """The manifest of a release about to be made; its shape still has to name its own columns."""
    salt = key.salt(microdata.digest, method.encode())
    return Manifest(
        method=method,
        rows=microdata.rows,
        columns=tuple(_describe_column(column) for column in microdata.columns),
        layout={},
        key_commitment=key.commitment(salt),
        key_salt=salt,
        dropped_columns=microdata.dropped,
        created=(created or datetime.now(UTC).date()).isoformat(),
    )


def _describe_column(column: Column) -> PublishedColumn:
    order = tuple(value_texts(column.domain)) if column.kind == "ordinal" else None
    return PublishedColumn(column.name, column.role, column.kind, order)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with underscores behind it until no column of the data has it.

    >>> free_name("group", ["age", "Group"])
    'group_'
    """
    # databases fold case, so Group and group would be one name there
    lowered = {other.lower() for other in taken}
    while name.lower() in lowered:
        name += "_"
    return name
