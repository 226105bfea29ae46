"""What an audit means, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonagram.attacks.attack import Verdict
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.results import tried_by
from anonagram.shown.wording import option

if TYPE_CHECKING:
    from anonagram.attacks.audit import Audit

SAME = 0.999
HARDLY = 0.95
HARDLY_AT_ALL = 0.1
MANY = 100
WORDS = {
    Verdict.WITHSTANDS: "It withstands the attack",
    Verdict.CANNOT_TELL: "Whether it withstands the attack cannot be told",
    Verdict.DOES_NOT_WITHSTAND: "It does NOT withstand the attack",
}


def audit_summary(audit: Audit) -> list[str]:
    """What moved, what was linked, and the verdict last."""
    whole = tried_by(audit.results, MaximumKnowledge)
    # where nothing fails, what counts is that not even all attributes together link anybody
    told = whole if audit.withstands else audit.results.worst
    verdict = f"{WORDS[audit.verdict]}: {told.sentence[0].lower()}{told.sentence[1:]}"
    return [*_told_of_attributes(audit), *whole.details, verdict]


def _told_of_attributes(audit: Audit) -> list[str]:
    told = []
    if audit.left_out:
        told.append(f"Only one of the tables has, and so left out: {', '.join(audit.left_out)}.")
    if audit.rows >= MANY and all(
        abs(a.rank_correlation or 0) < HARDLY_AT_ALL for a in audit.attributes
    ):
        told.append(
            "In no column is a record related to its image. If rows may stand in another order, "
            f"match them by a column that identifies them: {option('--id NAME', 'id_column=NAME')}."
        )
    same = [a.name for a in audit.attributes if a.unmoved > SAME]
    if same:
        told.append(f"Not masked at all, in ranks: {', '.join(same)}.")
    hardly = [
        a.name
        for a in audit.attributes
        if a.name not in same and a.rank_correlation is not None and a.rank_correlation > HARDLY
    ]
    if hardly:
        told.append(f"Hardly rearranged (rank correlation above {HARDLY}): {', '.join(hardly)}.")
    return told
