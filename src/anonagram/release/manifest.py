"""The transparency manifest: everything about a release except the key.

Method, every parameter, what is claimed and what was measured, by Kerckhoffs' principle
(Domingo-Ferrer and Muralidhar 2016, Definition 4). Never the key, a mapping, the input's order, or
anything of a dropped column but how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, date, datetime
from typing import Any, Self

from anonagram import __version__
from anonagram.errors import ReleaseDamaged
from anonagram.key import Key
from anonagram.microdata import Microdata

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
    created: str = ""
    software: str = f"anonagram {__version__}"

    def named(self, role: str) -> list[str]:
        """The names of the columns with this role."""
        return [column.name for column in self.columns if column.role == role]

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
                f"{where}: the manifest does not have the entries it should ({odd}).",
                "get the bundle again from who published it.",
            )
        try:
            return cls(
                **{
                    **content,
                    "columns": tuple(PublishedColumn(**column) for column in content["columns"]),
                    "claims": tuple(Claim(**claim) for claim in content["claims"]),
                }
            )
        except (TypeError, KeyError) as error:
            raise ReleaseDamaged(f"{where}: the manifest is malformed ({error}).") from error


def describe(method: str, microdata: Microdata, key: Key, created: date | None) -> Manifest:
    """The manifest of a release about to be made."""
    names = [column.name for column in microdata.columns]
    return Manifest(
        method=method,
        rows=microdata.rows,
        columns=tuple(PublishedColumn(c.name, c.role, c.kind) for c in microdata.columns),
        layout={own: free_name(own, names) for own in ("group", "count")},
        key_commitment=key.commitment,
        dropped_columns=microdata.dropped,
        created=(created or datetime.now(UTC).date()).isoformat(),
    )


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with underscores behind it until no column of the data has it.

    >>> free_name("group", ["age", "Group"])
    'group_'
    """
    # databases fold case, so Group and group would be one name there
    lowered = {other.lower() for other in taken}
    while name in lowered:
        name += "_"
    return name
