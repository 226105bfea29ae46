"""What an audit means, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anonagram.attacks.aligned.order import by_id
from anonagram.attacks.attack import AttackResult, Verdict
from anonagram.attacks.figures.shares import percent
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.sole_fit import SoleFit
from anonagram.shown.wording import how_many, listed

if TYPE_CHECKING:
    from anonagram.attacks.audit import Audit

SAME = 0.999
HARDLY = 0.95
WORDS = {
    Verdict.WITHSTANDS: "It withstands the attack",
    Verdict.CANNOT_TELL: "Whether it withstands the attack cannot be told",
    Verdict.DOES_NOT_WITHSTAND: "It does NOT withstand the attack",
}


def audit_summary(audit: Audit) -> list[str]:
    """The verdict and the worst figure first, then what was linked and what moved."""
    return [audit_headline(audit), *audit_details(audit)]


def audit_headline(audit: Audit) -> str:
    """The verdict, and the largest share of people that anybody links."""
    verdict, worst = WORDS[audit.verdict], _worst(audit)
    if audit.order.is_known:
        return f"{verdict}: {_most_linked(audit)} {worst.sentence}"
    why = (
        "it is not known which row became which, so nobody can say whose a match is. "
        f"If a column identifies rows in both tables: {by_id('NAME')}."
    )
    if audit.verdict is Verdict.CANNOT_TELL:
        return f"{verdict}: {why}"
    found = f"{verdict}: {worst.sentence[0].lower()}{worst.sentence[1:]}"
    # a row that one person alone fits is hers, whatever is known of its place
    return found if isinstance(worst.attack, SoleFit) else f"{found} {why[0].upper()}{why[1:]}"


def _worst(audit: Audit) -> AttackResult[Any]:
    """Of those with the worst verdict, who finds most."""
    worst = [each for each in audit.results if each.verdict is audit.results.verdict]
    return max(worst, key=lambda each: each.score - each.baseline)


def _most_linked(audit: Audit) -> str:
    most = audit.most_linked
    return (
        f"the most that an intruder links to their own record is {percent(most.score)} of the people "
        f"({most.attack.call}); blind guesses get {percent(most.baseline)}."
    )


def audit_details(audit: Audit) -> list[str]:
    """Everything else that is worth saying."""
    whole = audit.results.by(MaximumKnowledge)
    told = _worst(audit)
    sentences = [each.sentence for each in audit.results if each is not told]
    linked = [] if whole is None else [*whole.details]
    return [
        *_told_of_rows(audit), *_told_of_unchanged(audit), *_told_of_attributes(audit), *linked,
        *sentences,
    ]  # fmt: skip


def _told_of_unchanged(audit: Audit) -> list[str]:
    """Whole records that are as they were, where there are any."""
    unchanged = audit.unmasked and audit.unmasked.unchanged
    return [unchanged.sentence] if unchanged and unchanged.people else []


def _told_of_rows(audit: Audit) -> list[str]:
    told = []
    if audit.order.is_known:
        gone, new = audit.rows - audit.paired, audit.masked_rows - audit.paired
        if gone:
            told.append(
                f"{gone:,} of {how_many(audit.rows, 'person', 'people')} {'is' if gone == 1 else 'are'} "
                f"not in {audit.masked}, and not looked for."
            )
        if new:
            told.append(
                f"{how_many(new, 'row')} of {audit.masked} {'belongs' if new == 1 else 'belong'} to "
                f"nobody in {audit.original}."
            )
    else:
        told.append(
            "Nothing shows that rows at the same place belong together."
            if audit.rows == audit.masked_rows
            else (
                f"{audit.original} has {how_many(audit.rows, 'row')} and {audit.masked} "
                f"{audit.masked_rows:,}."
            )
        )
    if audit.linkage.share.is_sample:
        told.append(
            f"Shares are of people drawn at random; behind them stands where the share of all "
            f"{audit.paired:,} lies, 95 times in a hundred."
        )
    return told


def _told_of_attributes(audit: Audit) -> list[str]:
    told = []
    if audit.left_out:
        meant = "".join(
            f" Did you mean {one!r} of {audit.original} and {two!r} of {audit.masked} to be one? "
            "Give both the same name."
            for one, two in audit.probably_same
        )
        told.append(
            f"Columns that stand in one table only, left out: {listed(audit.left_out)}.{meant}"
        )
    same = [a.name for a in audit.attributes if a.unmoved is not None and a.unmoved > SAME]
    if same:
        told.append(f"Not masked at all, in ranks: {listed(same)}.")
    hardly = [
        a.name
        for a in audit.attributes
        if a.name not in same and a.rank_correlation is not None and a.rank_correlation > HARDLY
    ]
    if hardly:
        told.append(f"Hardly rearranged (rank correlation above {HARDLY}): {listed(hardly)}.")
    return told
