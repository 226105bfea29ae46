"""A first look at a table: what is in it, who would be unique, which role each column may play.

>>> table = {"id": [1, 2, 3, 4], "age": [20, 20, 31, 31], "disease": ["flu", "flu", "cut", "burn"]}
>>> profile = Profile.of(table)
>>> [(column.name, column.role) for column in profile.columns]
[('id', 'identifier'), ('age', 'quasi'), ('disease', 'sensitive')]
>>> profile.uniqueness[0]
Uniqueness(columns=('age',), unique_rows=0, share=0.0)
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import encode
from anonagram.runtime.progress import step
from anonagram.schema import ColumnRule, Kind, Role, Schema
from anonagram.sources import load

PERSON_HINT = re.compile(
    r"(^|[_\W])(ssn|name|firstname|lastname|surname|e?_?mail|phone|mobile|passport|iban|address|"
    r"street|mrn|uuid|guid)($|[_\W])|name$|email$"
)
CODE_HINT = re.compile(r"(^|[_\W])(id|nbr|code|zip|zipcode|postcode|postal)($|[_\W])|id$")
KNOWN_HINT = re.compile(
    r"age|sex|gender|race|ethn|birth|born|dob|zip|post|marital|educ|country|nation|city|town|region|"
    r"state|puma|job|work|house|own|hisp|language|admission|admitted"
)
SENSITIVE_HINTS = (
    "diag|disease|illness|disorder|symptom|condition|hiv|cancer|disab",
    "crime|offen[cs]e|conviction|religio|orientation|politic",
    "salary|income|wage|earning|wealth|debt|loss|gain|pincp|povpip",
    "medication|treatment|drug|result|score|grade|occupation",
)
COLUMNS_COMPARED = 12
FREE_TEXT_LENGTH = 40
"""Texts longer than this on average are prose, which no role but drop protects."""


@dataclass(frozen=True)
class ColumnProfile:
    """What is in one column, and the role proposed for it."""

    name: str
    kind: Kind
    distinct: int
    missing: int
    most_frequent_share: float
    role: Role
    reason: str
    is_code: bool
    """Numbers by which things are called, such as zip codes: nominal, their order says nothing."""


@dataclass(frozen=True)
class Uniqueness:
    """How many rows are the only ones with their values in these columns."""

    columns: tuple[str, ...]
    unique_rows: int
    share: float


@dataclass(frozen=True)
class Profile:
    """A table at first sight."""

    label: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    uniqueness: tuple[Uniqueness, ...]
    """Quasi-identifiers added one by one, the one that singles out most people first."""

    @classmethod
    def of(cls, source: Any) -> Self:
        """Profile a table from any source that `Microdata.read` takes."""
        step("Reading")
        table = load(source)
        step("Counting values")
        codes: dict[str, NDArray[np.int32]] = {}
        facts = []
        for name in table.frame.columns:
            column, domain, kind, has_missing = encode(table, name, ColumnRule("plain"))
            codes[name] = column
            counts = np.bincount(column, minlength=len(domain) + 1)
            missing = int(counts[len(domain)]) if has_missing else 0
            facts.append(_Facts(name, kind, domain, table.frame.height, missing, int(counts.max())))
        columns = _propose(facts)
        step("Looking for unique people")
        quasi = [column.name for column in columns if column.role == "quasi"]
        return cls(
            table.label,
            table.frame.height,
            tuple(columns),
            tuple(_grow_uniqueness({name: codes[name] for name in quasi})),
        )

    def schema(self) -> Schema:
        """The proposed roles as a schema to edit; kinds only where the values alone mislead."""
        return Schema(
            {c.name: ColumnRule(c.role, "nominal" if c.is_code else None) for c in self.columns}
        )

    def to_toml(self) -> str:
        """The text of the schema file, with the reason for each role."""
        head = (
            "# Roles: identifier and drop are never published, quasi is what an intruder may know,\n"
            "# sensitive is what nobody may learn about a person, plain is published along.\n"
            "# Proposed from names and values; read every line before you publish.\n"
        )
        return head + self.schema().to_toml({c.name: c.reason for c in self.columns})

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram inspect --json` prints."""
        return asdict(self)


@dataclass(frozen=True)
class _Facts:
    name: str
    kind: Kind
    domain: pl.Series
    rows: int
    missing: int
    most: int

    @property
    def distinct(self) -> int:
        return len(self.domain)

    @property
    def is_nearly_unique(self) -> bool:
        """Nearly every value belongs to one row, and it is not a measurement.

        Numbers must all be different: amounts of money often nearly are.
        """
        present = max(self.rows - self.missing, 1)
        if self.domain.dtype.is_numeric():
            return self.domain.dtype.is_integer() and self.distinct == present
        return self.distinct > 0.9 * present


def _propose(facts: list[_Facts]) -> list[ColumnProfile]:
    sensitive = _most_sensitive(facts)
    columns = []
    for fact in facts:
        role, reason = _role(fact, fact.name == sensitive)
        is_code = (
            fact.kind == "numeric"
            and role in ("quasi", "sensitive")
            and CODE_HINT.search(fact.name.lower()) is not None
        )
        kind: Kind = "nominal" if is_code else fact.kind
        share = fact.most / fact.rows
        columns.append(
            ColumnProfile(
                fact.name, kind, fact.distinct, fact.missing, share, role, reason, is_code
            )
        )
    return columns


def _most_sensitive(facts: list[_Facts]) -> str | None:
    """The column that sounds most private: one that can be protected, and words before numbers."""
    possible = [fact for fact in facts if fact.distinct > 1 and not fact.is_nearly_unique]
    possible.sort(key=lambda fact: (fact.most * 2 > fact.rows, fact.kind != "nominal"))
    for hint in SENSITIVE_HINTS:
        for fact in possible:
            if re.search(hint, fact.name.lower()):
                return fact.name
    return None


def _sounds_private(name: str) -> bool:
    return any(re.search(hint, name.lower()) for hint in SENSITIVE_HINTS)


def _role(fact: _Facts, is_sensitive: bool) -> tuple[Role, str]:
    if fact.distinct == 0:
        return "drop", "missing in every row"
    if fact.distinct == 1 and not fact.missing:
        return "drop", "the same in every row"
    if PERSON_HINT.search(fact.name.lower()):
        return "identifier", "named like what names a person"
    if fact.is_nearly_unique and fact.kind != "date":
        return "identifier", "nearly every value is different"
    if fact.domain.dtype == pl.String and _mean_length(fact.domain) > FREE_TEXT_LENGTH:
        return "drop", "free text can hold anything"
    if is_sensitive:
        largest = fact.rows // fact.most
        limit = (
            f"l can be at most {largest}" if largest > 1 else "one value is too frequent for any l"
        )
        return "sensitive", f"named like something private; {limit}"
    if _sounds_private(fact.name):
        return "drop", "named like something private, and another column is the sensitive one"
    if KNOWN_HINT.search(fact.name.lower()):
        return "quasi", "often known about a person"
    return "quasi", "an intruder might know it"


def _mean_length(domain: pl.Series) -> float:
    mean = domain.str.len_chars().mean()
    return mean if isinstance(mean, float) else 0.0


def _grow_uniqueness(codes: dict[str, NDArray[np.int32]]) -> list[Uniqueness]:
    """Add, again and again, the column that makes most rows unique."""
    # with very many columns, those with most values tell people apart first
    varied = sorted(codes, key=lambda name: -int(codes[name].max(initial=0)))[:COLUMNS_COMPARED]
    found: list[Uniqueness] = []
    chosen: list[str] = []
    groups = pl.Series(np.zeros(len(next(iter(codes.values()), ())), np.int64))
    while len(chosen) < len(varied):
        trials = {
            name: groups * (int(codes[name].max()) + 1) + pl.Series(codes[name].astype(np.int64))
            for name in varied
            if name not in chosen
        }
        unique = {name: int(trial.is_unique().sum()) for name, trial in trials.items()}
        # among equals the column with more values first, which tells more in the next round
        best = max(unique, key=lambda name: (unique[name], trials[name].n_unique()))
        chosen.append(best)
        groups = trials[best].rank("dense").cast(pl.Int64) - 1
        found.append(Uniqueness(tuple(chosen), unique[best], unique[best] / len(groups)))
    return found
