"""The intruder who looks at what was not masked: whoever is alone with it is found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anonagram.attacks.attack import AttackResult, Target, Verdict, given
from anonagram.attacks.figures.unmasked import Unmasked, find_unmasked, find_untouched
from anonagram.attacks.pair_attack import PairAttack
from anonagram.learning import Success
from anonagram.shown.wording import how_many, listed


@dataclass(frozen=True, repr=False)
class UnmaskedColumns(PairAttack[Unmasked], call="unmasked_columns", example="unmasked_columns()"):
    """He compares columns that are as they were, and records that are.

    >>> from anonagram.attacks import Aligned
    >>> one, two = {"a": range(2000), "b": range(2000)}, {"a": range(2000), "b": range(2000, 0, -1)}
    >>> UnmaskedColumns().run(Target(pair=Aligned.read(one, two, in_order=True))).reason
    'unmasked a'
    """

    knows = "the columns and records that were published as they are"

    def attempt(self, target: Target) -> AttackResult[Unmasked]:
        """Find columns that mostly did not move, records that did not, and who is alone with them."""
        pair = given(target.pair)
        columns, records = find_unmasked(pair), find_untouched(pair)
        exposed = [each for each in (columns, records) if each.is_exposed]
        is_open = not exposed and records.is_more_than_chance
        worst = max(exposed, key=lambda each: each.people) if exposed else columns
        told = _told_of_records(records) if worst is records else _told_of_columns(columns)
        what = "records left as they were" if worst is records else f"unmasked {_names(columns)}"
        alone = (records if is_open else worst).is_alone.astype(np.float64)
        return AttackResult(
            attack=self,
            verdict=_verdict(is_exposed=bool(exposed), is_open=is_open),
            sentence=_untold(records) if is_open else told,
            records=np.arange(pair.paired),
            scores=alone,
            baseline=1 / pair.masked_rows,
            figures=replace(columns, unchanged=records.unchanged),
            details=() if records.unchanged is None else (records.unchanged.sentence,),
            reason=what if exposed else "",
            surest=Success.of(alone, alone).surest if exposed else None,
        )


def _verdict(*, is_exposed: bool, is_open: bool) -> Verdict:
    if is_exposed:
        return Verdict.DOES_NOT_WITHSTAND
    return Verdict.CANNOT_TELL if is_open else Verdict.WITHSTANDS


def _names(found: Unmasked) -> str:
    return listed(found.columns)


def _told_of_records(found: Unmasked) -> str:
    who = "1 person has the same record" if found.people == 1 else (
        f"{how_many(found.people, 'person has', 'people have')} the same record"
    )  # fmt: skip
    return f"{who} as before, and nobody else has it. Mask every record."


def _untold(found: Unmasked) -> str:
    """Of people who were left as they were, among many whose record is there by chance."""
    return (
        f"{how_many(found.people, 'person has', 'people have')} the same record as before, and nobody "
        f"else has it. So it seems of {found.claims:,}, and an intruder can hardly tell whom he "
        "found; but mask every record."
    )


def _told_of_columns(found: Unmasked) -> str:
    if not found.columns:
        return "No column is as it was."
    return (
        f"{how_many(found.people, 'person', 'people')} ({found.identified:.2%}) "
        f"{'is' if found.people == 1 else 'are'} alone with their values in columns that "
        f"are as they were ({_names(found)}).{' Mask those too.' if found.is_exposed else ''}"
    )
