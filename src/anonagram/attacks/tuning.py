"""The least masking that withstands an intruder who knows everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from anonagram.attacks.aligned.published import aligned_with
from anonagram.attacks.attack import Verdict
from anonagram.attacks.audit import attack_pair
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.asked import seconds_for
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.results import AttackResults, tried_by
from anonagram.columns.ranks import rank_correlation
from anonagram.errors import CallError
from anonagram.key import Key
from anonagram.methods import Method
from anonagram.methods.masking import MaskingMethod
from anonagram.microdata import Microdata
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown

REFINEMENTS = 3
"""How often the gap between what fails and what withstands is halved."""
DIGITS = 2


@dataclass(frozen=True)
class Trial:
    """One value of the parameter, the worst of all keys."""

    value: float
    advantage: float
    """How many more originals than random records have a near match, on all attributes or on the
    least moved ones."""
    hellinger: float
    correct: float
    """The largest share of people whom any intruder links to their own image."""
    rank_correlation: float
    """Of the masked columns with the original, the mean: what is left of the order."""
    withstands: bool
    reason: str
    """What gave people away with some key; empty where nothing did."""


@dataclass(frozen=True)
class Tuning(Shown):
    """The curve of a parameter, and its least value that withstands."""

    shown_by = "tuning"

    method: str
    parameter: str
    least: float | None
    """None where not even the strongest value tried withstands."""
    trials: tuple[Trial, ...]
    tolerance: float
    unmasked: tuple[str, ...]
    """Columns that the intruder compares although they are not masked."""

    @property
    def call(self) -> str | None:
        """The method with the least value that withstands."""
        if self.least is None:
            return None
        return repr(_with(Method.parse(self.method), self.parameter, self.least))

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram tune --json` prints."""
        return {
            "method": self.method,
            "parameter": self.parameter,
            "least": self.least,
            "call": self.call,
            "tolerance": self.tolerance,
            "unmasked": list(self.unmasked),
            "curve": [asdict(trial) for trial in self.trials],
        }


def tune(
    microdata: Microdata,
    method: str | Method,
    attack: MaximumKnowledge | None = None,
    *,
    keys: int = 3,
    columns: Sequence[str] = (),
) -> Tuning:
    """Find the least value of a masking method's parameter with which releases withstand.

    Values are tried from weak to strong, each with several keys, of which the worst counts; then
    the gap before the first that withstands is halved a few times.

    >>> data = Microdata.read({"a": range(40), "b": range(40)}, {"a": "quasi", "b": "quasi"})
    >>> tune(data, "data_swapping").parameter
    'share'
    """
    chosen = _tunable(method if isinstance(method, Method) else Method.parse(method))
    parameter = str(chosen.strength)
    attack = attack or MaximumKnowledge()
    trials: dict[float, Trial] = {}

    def attempt(value: float) -> bool:
        if value not in trials:
            step(f"Trying {parameter} = {value:g}")
            tried = _with(chosen, parameter, value)
            trials[value] = _try(microdata, tried, value, attack, keys, columns)
        return trials[value].withstands

    values = [value for value in chosen.strengths if chosen.fits(value, microdata)]
    first = next((value for value in values if attempt(value)), None)
    if first is not None:
        weaker = [value for value in trials if value < first]
        low, high = (max(weaker), first) if weaker else (first, first)
        for _ in range(REFINEMENTS):
            middle = _between(low, high, whole=all(isinstance(v, int) for v in chosen.strengths))
            if not low < middle < high:
                break
            low, high = (low, middle) if attempt(middle) else (middle, high)
        first = high
    ordered = tuple(trials[value] for value in sorted(trials))
    masked = {column.name for column in chosen.chosen(microdata)}
    compared = columns or [column.name for column in microdata.columns]
    unmasked = tuple(name for name in compared if name not in masked)
    return Tuning(repr(chosen), parameter, first, ordered, attack.tolerance, unmasked)


def tune_seconds(
    microdata: Microdata, method: Method, attack: MaximumKnowledge, keys: int
) -> float:
    """About how long tuning takes at most: every value with every key is an audit."""
    values = len(_tunable(method).strengths) + REFINEMENTS
    each = seconds_for(microdata.rows, len(microdata.columns), attack.records)
    return values * keys * each


def _tunable(method: Method) -> MaskingMethod:
    known = [n for n, m in Method.known().items() if issubclass(m, MaskingMethod) and m.strength]
    if not isinstance(method, MaskingMethod) or method.strength is None:
        raise CallError(
            f"{method.call} has no parameter that could be tuned to withstand an intruder.",
            f"one of {', '.join(known)}.",
        )
    return method


def _with(method: Method, parameter: str, value: float) -> MaskingMethod:
    """The method with another value of its parameter."""
    changed: Any = replace(method, **{parameter: value})  # type: ignore[type-var]
    return _tunable(changed)


def _between(low: float, high: float, *, whole: bool) -> float:
    """A value in the middle with few digits."""
    middle = (low + high) / 2
    if whole:
        return round(middle)
    digits = DIGITS - int(np.floor(np.log10(middle)))
    return float(round(middle, digits))


def _try(
    microdata: Microdata,
    method: MaskingMethod,
    value: float,
    attack: MaximumKnowledge,
    keys: int,
    columns: Sequence[str],
) -> Trial:
    masked = [column.name for column in method.chosen(microdata)]
    found = []
    for number in range(keys):
        publication = method.publish(microdata, Key(bytes([number + 1]) * 32))
        pair = aligned_with(microdata, publication, columns)
        correlations = [
            rank_correlation(each.original.ranks, each.mapped_ranks) or 0.0
            for each in pair.attributes
            if each.name in masked
        ]
        left = float(np.mean(correlations)) if correlations else 1.0
        found.append((attack_pair(pair, attack), left))
    whole = [tried_by(results, MaximumKnowledge).figures for results, _ in found]
    return Trial(
        value=value,
        advantage=max(_largest_advantage(results) for results, _ in found),
        hellinger=max(linkage.hellinger for linkage in whole),
        correct=max(result.score for results, _ in found for result in results),
        rank_correlation=float(np.mean([correlation for _, correlation in found])),
        withstands=all(results.worst.withstands for results, _ in found),
        reason=next((_reason(results) for results, _ in found if _reason(results)), ""),
    )


def _reason(results: AttackResults) -> str:
    """What gives people away, or who cannot say that nothing does; empty where nothing does."""
    worst = results.worst
    is_open = worst.verdict is Verdict.CANNOT_TELL
    return f"{worst.attack.call} cannot tell" if is_open else worst.reason


def _largest_advantage(results: AttackResults) -> float:
    """On all attributes or on fewer, whichever is larger."""
    fewer = results.by(FewerAttributes)
    whole = tried_by(results, MaximumKnowledge).figures.advantage
    return max([whole, *(subset.advantage for subset in (fewer.figures if fewer else ()))])
