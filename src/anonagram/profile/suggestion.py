"""A method that works on the table at hand, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonagram.profile.roles import AMOUNT, UNTOLD, ColumnProfile
from anonagram.shown.wording import option

USUAL = 4
"""The l that is proposed where the table allows it."""
MOST_NAMED = 4


@dataclass(frozen=True)
class Suggestion:
    """A call of a method, or none, and why."""

    method: str | None
    reason: str


def suggest_method(columns: Sequence[ColumnProfile], rows: int) -> Suggestion:
    """The method to try first on a table with these roles."""
    roles = {role: [c for c in columns if c.role == role] for role in ("quasi", "sensitive")}
    if not roles["quasi"]:
        return Suggestion(
            None,
            "No column is left to publish: all name people or are to be dropped. A table of links "
            "between identifiers can be published as a graph: "
            f"{option('--left and --right', 'Graph.read')}.",
        )
    if not roles["sensitive"] and all(c.reason.startswith(AMOUNT) for c in roles["quasi"]):
        return Suggestion("rank_swapping(p=10)", "amounts change places with others near in rank")
    if not roles["sensitive"]:
        if rows < USUAL:
            return Suggestion(None, f"Fewer than {USUAL} rows hide nobody.")
        return Suggestion(
            f"permutation(l={USUAL})",
            f"nothing looks sensitive, so values change places in groups of {USUAL} or more: whose row is "
            "whose is hidden, but not what a whole group has in common",
        )
    l = min(USUAL, *(int(1 / c.most_frequent_share + 1e-9) for c in roles["sensitive"]))
    untold = [c.name for c in roles["quasi"] if c.reason.startswith(UNTOLD)]
    if untold:
        return Suggestion(
            f"permutation(l={l})",
            "every column is rearranged, because nobody has said yet whether it is private: "
            f"{', '.join(untold[:MOST_NAMED])}{' and others' if len(untold) > MOST_NAMED else ''}",
        )
    return Suggestion(f"anatomy(l={l})", f"each sensitive value hides among {l} different ones")
