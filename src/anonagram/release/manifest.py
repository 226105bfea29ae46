"""The transparency manifest: everything about a release except the key.

Method, every parameter, what is claimed and what was measured, by Kerckhoffs' principle
(Domingo-Ferrer and Muralidhar 2016, Definition 4). Never the key, a mapping, the input's order, or
anything of a dropped column but how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime
from typing import Any, Self

from anonagram import __version__
from anonagram.errors import ReleaseDamaged
from anonagram.hierarchy import value_texts
from anonagram.key import Key
from anonagram.microdata import Column, Microdata
from anonagram.release.masking import Masking
from anonagram.release.transition import Transition
from anonagram.schema import KINDS, ROLES

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
            manifest._require_types()
        except (TypeError, KeyError, AttributeError) as error:
            raise ReleaseDamaged(f"{where}: the manifest is malformed ({error}).") from error
        return manifest

    def _require_types(self) -> None:
        """Raise TypeError where an entry is not of the kind it should be."""
        texts: list[Any] = [self.method, self.key_commitment, self.created, self.software]
        texts += [*self.layout.values(), *(claim.model for claim in self.claims)]
        texts += [*self.masked, *(masking.how for masking in self.masked.values())]
        numbers: list[Any] = [self.rows, self.dropped_columns, self.suppressed_rows]
        numbers += [*self.risk.values(), *self.utility.values()]
        numbers += [claim.achieved for claim in self.claims]
        if self.transition is not None:
            numbers += [self.transition.attributes, *self.transition.replaced.values()]
        for column in self.columns:
            if column.role not in ROLES or column.kind not in KINDS:
                raise TypeError(f"column {column.name!r}")
            texts.append(column.name)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a text is not a text")
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError("a number is not a number")


def _transition(content: Any) -> Transition | None:
    return None if content is None else Transition(**content)


def _masking(content: dict[str, Any]) -> Masking:
    order = content["order"]
    return Masking(**{**content, "order": None if order is None else tuple(order)})


def _published_column(content: dict[str, Any]) -> PublishedColumn:
    order = content.get("order")
    return PublishedColumn(**{**content, "order": None if order is None else tuple(order)})


def describe(method: str, microdata: Microdata, key: Key, created: date | None) -> Manifest:
    """The manifest of a release about to be made; its shape still has to name its own columns."""
    return Manifest(
        method=method,
        rows=microdata.rows,
        columns=tuple(_describe_column(column) for column in microdata.columns),
        layout={},
        key_commitment=key.commitment,
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
