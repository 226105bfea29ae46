"""A table at first sight.

>>> table = {"id": [1, 2, 3, 4], "age": [20, 20, 31, 31], "disease": ["flu", "flu", "cut", "burn"]}
>>> profile = Profile.of(table)
>>> [(column.name, column.role) for column in profile.columns]
[('id', 'identifier'), ('age', 'quasi'), ('disease', 'sensitive')]
>>> profile.uniqueness[0]
Uniqueness(columns=('age',), unique_rows=0, share=0.0)
>>> profile.suggestion.method
'anatomy(l=2)'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anonagram.people import People
from anonagram.profile.facts import Facts
from anonagram.profile.given_away import MANY, GivenAway, find_given_away
from anonagram.profile.reading import propose_reading
from anonagram.profile.roles import ColumnProfile, person_column, propose
from anonagram.profile.suggestion import Suggestion, suggest_method
from anonagram.profile.twins import named_alike
from anonagram.profile.uniqueness import Uniqueness, grow_uniqueness
from anonagram.runtime.progress import step
from anonagram.schema import Schema
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many
from anonagram.sources import load


@dataclass(frozen=True)
class Profile(Shown):
    """A table at first sight."""

    shown_by = "profile"

    label: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    uniqueness: tuple[Uniqueness, ...]
    """Quasi-identifiers added one by one, the one that singles out most people first."""
    suggestion: Suggestion
    person: People | None
    """The column that says whose row it is, where people have several."""
    given_away: tuple[GivenAway, ...]
    """Columns that tell a sensitive one, alone or two together; the worst first."""

    @classmethod
    def of(cls, source: Any) -> Self:
        """Profile a table from any source that `Microdata.read` takes."""
        step("Reading")
        table = load(source)
        step("Counting values")
        codes: dict[str, NDArray[np.int32]] = {}
        facts = []
        for name in table.frame.columns:
            read, reading = propose_reading(table, name)
            codes[name] = read.codes
            counts = np.bincount(read.codes, minlength=len(read.domain) + 1)
            missing = int(counts[len(read.domain)]) if read.has_missing else 0
            most = int(counts.max())
            facts.append(
                Facts(name, read.kind, read.domain, table.frame.height, missing, most, reading)
            )
        columns, person = named_alike(propose(facts), codes), person_column(facts)
        given_away = _given_away(facts, columns, codes)
        columns = [_kept_at_home(column, given_away) for column in columns]
        step("Looking for unique people")
        quasi = [column.name for column in columns if column.role == "quasi"]
        return cls(
            table.label,
            table.frame.height,
            tuple(columns),
            tuple(grow_uniqueness({name: codes[name] for name in quasi})),
            suggest_method(columns, table.frame.height),
            None if person is None else _rows_of(person, codes[person.name]),
            tuple(given_away),
        )

    def schema(self) -> Schema:
        """The proposed roles as a schema to edit; kinds only where the values alone mislead."""
        return Schema({column.name: column.rule for column in self.columns})

    def to_toml(self) -> str:
        """The text of the schema file, with the reason for each role."""
        head = (
            "# Roles: identifier and drop are never published, quasi is what an intruder may know,\n"
            "# sensitive is what nobody may learn about a person, plain is published along.\n"
            "# Proposed from names and values; read every line before you publish.\n"
        )
        return head + self.schema().to_toml({c.name: self._comment(c) for c in self.columns})

    def _comment(self, column: ColumnProfile) -> str:
        if column.hierarchy is not None:
            return f"{column.reason}; coarser: {column.coarser}"
        if self.person is None or column.name != self.person.column:
            return column.reason
        return (
            f"{column.reason}; a person has up to {how_many(self.person.most_rows, 'row')}: "
            f'{{ role = "{column.role}", rows_per_person = 1 }} keeps the first of each'
        )


def _rows_of(person: Facts, codes: NDArray[np.int32]) -> People | None:
    """How many rows each person has, where somebody has several.

    Rows of which nobody knows whose they are are nobody's.
    """
    counts = np.bincount(codes, minlength=len(person.domain))[: len(person.domain)]
    most = int(counts.max(initial=0))
    return People(person.name, int((counts > 0).sum()), most) if most > 1 else None


def _kept_at_home(column: ColumnProfile, given_away: list[GivenAway]) -> ColumnProfile:
    """The column, not to be published where it tells a sensitive one of many people."""
    for each in given_away:
        if each.columns == (column.name,) and each.share >= MANY and not each.missing:
            reason = f"nearly always tells {each.sensitive} ({each.share:.0%} of people)"
            return replace(column, role="drop", reason=reason, hierarchy=None, coarser="")
    return column


def _given_away(
    facts: list[Facts], columns: list[ColumnProfile], codes: dict[str, NDArray[np.int32]]
) -> list[GivenAway]:
    named = {role: [c.name for c in columns if c.role == role] for role in ("quasi", "sensitive")}
    return find_given_away(
        {name: codes[name] for name in named["quasi"]},
        {name: codes[name] for name in named["sensitive"]},
        {fact.name: fact.distinct for fact in facts},
        together=3,
    )
