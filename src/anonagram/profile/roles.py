"""Which role a column may play, with the reason: cautious where names and values leave doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anonagram.columns.proposals import proposed
from anonagram.profile.facts import Facts
from anonagram.profile.reading import AS_IT_IS, Reading
from anonagram.profile.vocabulary import NUMBERS, PEOPLE, PRIVATE
from anonagram.profile.words import is_survey_weight, names_a_person, speaks_of
from anonagram.schema import ColumnRule, Kind, Role

LONG_TEXT = 40
"""Texts longer than this on average are prose, which no role but drop protects."""
WORTH_HIDING = 3
"""A private column is proposed as sensitive beside others where at least this l is possible."""
TOGETHER = 3
"""So many columns are proposed as sensitive at most: each one more makes groups larger."""
TOO_FREQUENT = "one value is too frequent to hide it among others"
AMOUNT = "an amount among amounts: masked, it can be published"
UNTOLD = "its name does not say whether others know it or nobody may"


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
    reading: Reading = AS_IT_IS
    """How it is read."""
    hierarchy: str | None = None
    """How a quasi-identifier may become coarser, as a call."""
    coarser: str = ""
    """Why so."""

    @property
    def rule(self) -> ColumnRule:
        """What the schema should say about it."""
        if self.role in ("identifier", "drop"):
            return ColumnRule(self.role)
        kind = "nominal" if self.is_code else self.reading.rule.kind
        return replace(self.reading.rule, role=self.role, kind=kind, hierarchy=self.hierarchy)


def propose(facts: list[Facts]) -> list[ColumnProfile]:
    """A role for every column."""
    sensitive = _sensitive(facts)
    roles = {fact.name: _role(fact, sensitive) for fact in facts}
    published = [fact for fact in facts if _never_published(fact) is None]
    if all(fact.private == "money" and fact.kind == "numeric" for fact in published):
        # nobody is known by anything but amounts, so the amounts themselves are masked
        roles |= {fact.name: ("quasi", AMOUNT) for fact in published}
    columns = []
    for fact in facts:
        role, reason = roles[fact.name]
        is_code = role in ("quasi", "sensitive", "plain") and fact.is_code
        kind: Kind = "nominal" if is_code else fact.kind
        share = fact.most / fact.rows
        climb = proposed(fact.domain, kind) if role == "quasi" else None
        columns.append(
            ColumnProfile(
                fact.name,
                kind,
                fact.distinct,
                fact.missing,
                share,
                role,
                "; ".join((reason, *fact.reading.why)),
                is_code,
                fact.reading,
                None if climb is None else climb.text,
                "" if climb is None else climb.reason,
            )
        )
    return columns


def person_column(facts: list[Facts]) -> Facts | None:
    """The column that says whose row it is, where people have several rows."""
    for fact in facts:
        of_people = speaks_of(fact.words, PEOPLE) and fact.words[-1] in NUMBERS
        if (of_people or fact.is_whose_row) and not fact.tells_rows_apart and fact.distinct > 1:
            return fact
    return None


def _sensitive(facts: list[Facts]) -> list[str]:
    """The columns that sound most private and can be protected, words before numbers."""
    matters = list(PRIVATE)
    possible = [
        fact
        for fact in facts
        if fact.private and fact.distinct > 1 and _never_published(fact) is None
    ]
    possible.sort(
        key=lambda fact: (
            fact.largest_l < WORTH_HIDING,
            matters.index(fact.private or ""),
            fact.kind != "nominal",
        )
    )
    hidden = [fact.name for fact in possible if fact.largest_l >= WORTH_HIDING][:TOGETHER]
    return hidden or [fact.name for fact in possible[:1] if fact.largest_l > 1]


def _role(fact: Facts, sensitive: list[str]) -> tuple[Role, str]:
    never = _never_published(fact)
    if never is not None:
        return never
    if fact.name in sensitive:
        return "sensitive", f"about {fact.private}; l can be at most {fact.largest_l}"
    if fact.private and fact.largest_l < WORTH_HIDING:
        return (
            "drop",
            f"about {fact.private}, and {TOO_FREQUENT} (as sensitive, mondrian(k_anonymity(k=5), "
            "t_closeness(t=0.2)) keeps groups like the whole table; as quasi, permutation rearranges it)",
        )
    if fact.private:
        return "drop", f"about {fact.private}, and others are the sensitive ones"
    return "quasi", "often known about a person" if fact.is_known else UNTOLD


def _never_published(fact: Facts) -> tuple[Role, str] | None:
    """The role of a column that should stay at home, and why; None for all others."""
    if fact.distinct == 0:
        return "drop", "missing in every row"
    if fact.distinct == 1 and not fact.missing:
        return "drop", "the same in every row"
    if (
        fact.personal is not None
        and fact.personal.fills_column
        and fact.personal.what != "free text"
    ):
        return "identifier", f"holds {fact.personal.what}"
    if fact.personal is not None:
        what = "can hold anything" if fact.personal.what == "free text" else "are in its texts"
        return "drop", f"{fact.personal.what} {what}"
    if names_a_person(fact.words):
        return "identifier", "named like what names a person"
    if is_survey_weight(fact.words):
        return "drop", "a survey weight: it tells people apart, and nobody is known by it"
    if fact.is_whose_row:
        return "identifier", "says whose row it is"
    if fact.tells_rows_apart:
        return "identifier", "nearly every value is different"
    if fact.may_name_rows:
        return "drop", "every value is different, and nothing says that it is an amount"
    if fact.mean_length > LONG_TEXT:
        return "drop", "free text can hold anything"
    return None
