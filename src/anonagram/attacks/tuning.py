"""The least masking that withstands an intruder who knows everything."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from anonagram.attacks.aligned.published import aligned_with
from anonagram.attacks.attack import Verdict
from anonagram.attacks.audit import attack_pair
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.asked import FEWEST_MADE_UP, people_within
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.results import AttackResults, tried_by
from anonagram.columns.ranks import rank_correlation
from anonagram.errors import CallError
from anonagram.key import Key
from anonagram.methods import Method
from anonagram.methods.masking import MaskingMethod
from anonagram.microdata import Microdata
from anonagram.runtime.progress import step
from anonagram.runtime.threads import thread_count
from anonagram.shown.result import Shown

REFINEMENTS = 3
"""How often the gap between what fails and what withstands is halved."""
SECONDS = 25.0
"""Of a processor, that all attacks together should take where nothing else is asked for."""
DIGITS = 2
READY = 300
"""Rows among which every part of the attack has something to do."""


@dataclass(frozen=True)
class Trial:
    """One value of the parameter, the worst of all releases that were tried."""

    value: float
    releases: int
    """How many were tried, each with a key of its own."""
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
    rows: int
    records: int
    """How many people were looked for in each release."""
    keys: int
    """How many releases the least value withstood with."""

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
            "rows": self.rows,
            "records": self.records,
            "keys": self.keys,
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

    What fails is taken to fail with any weaker value: the values are halved, then a few times the
    gap between what fails and what withstands. One release of each is tried, of the least that
    withstands as many as there are keys, and of the next stronger where one of those fails.

    >>> data = Microdata.read({"a": range(40), "b": range(40)}, {"a": "quasi", "b": "quasi"})
    >>> tune(data, "data_swapping").parameter
    'share'
    """
    chosen = _tunable(method if isinstance(method, Method) else Method.parse(method))
    parameter = str(chosen.strength)
    attack = attack or MaximumKnowledge()
    values = [value for value in chosen.strengths if chosen.fits(value, microdata)]
    if not attack.records:
        attack = replace(attack, records=_people(microdata, len(values), keys))
    tried: dict[float, list[_Tried]] = {}

    def withstands(value: float, releases: int = 1) -> bool:
        found = tried.setdefault(value, [])
        while len(found) < releases and all(each.withstands for each in found):
            step(f"Trying {parameter} = {value:g}")
            with_value = _with(chosen, parameter, value)
            found.append(_try(microdata, with_value, len(found), attack, columns))
        return all(each.withstands for each in found)

    first = _first(values, withstands)
    if first is not None:
        weaker = [value for value in tried if value < first]
        low, high = (max(weaker), first) if weaker else (first, first)
        for _ in range(REFINEMENTS):
            middle = _between(low, high, whole=all(isinstance(v, int) for v in chosen.strengths))
            if not low < middle < high:
                break
            low, high = (low, middle) if withstands(middle) else (middle, high)
        stronger = [value for value in sorted({*values, *tried}) if value >= high]
        first = next((value for value in stronger if withstands(value, keys)), None)
    ordered = tuple(_worst(value, tried[value]) for value in sorted(tried))
    masked = {column.name for column in chosen.chosen(microdata)}
    compared = columns or [column.name for column in microdata.columns]
    unmasked = tuple(name for name in compared if name not in masked)
    return Tuning(
        repr(chosen), parameter, first, ordered, attack.tolerance, unmasked, microdata.rows,
        min(attack.records, microdata.rows), keys,
    )  # fmt: skip


def tune_seconds(
    microdata: Microdata,
    method: Method,
    attack: MaximumKnowledge,
    keys: int,
    columns: Sequence[str] = (),
) -> float:
    """About how many seconds of a processor tuning takes at most, told from a small trial.

    One release is made and a few people are looked for in it; as many releases as may be tried take
    as much each, and more where more people are looked for. Only where several values that withstood
    do not with other keys, it takes longer.
    """
    chosen = _tunable(method)
    values = [value for value in chosen.strengths if chosen.fits(value, microdata)]
    middle = _with(chosen, str(chosen.strength), values[len(values) // 2])
    people = min(attack.records or _people(microdata, len(values), keys), microdata.rows)
    few = min(people, FEWEST_MADE_UP)
    step("Trying a few people")
    # kernels are made ready once, and not for each release
    _try(microdata.only(np.arange(min(READY, microdata.rows))), middle, 0, attack, columns)
    began = process_time()
    _try(microdata, middle, 0, replace(attack, records=few), columns)
    releases = _releases(len(values), keys) + (keys if keys > 1 else 0)  # one value may fail yet
    return releases * (process_time() - began) * people / few


def _releases(values: int, keys: int) -> int:
    """How many are tried at most where the least value withstands with all keys."""
    return values.bit_length() + REFINEMENTS + keys - 1


def _people(microdata: Microdata, values: int, keys: int) -> int:
    """How many people to look for in each release, so that all together take no longer than meant."""
    each = SECONDS / thread_count() / _releases(values, keys)
    return people_within(each, microdata.rows, len(microdata.columns))


def _first(values: Sequence[float], withstands: Callable[[float], bool]) -> float | None:
    """The least value that withstands, where all stronger ones do.

    >>> _first([1, 2, 3, 5, 8], lambda value: value > 2), _first([1, 2], lambda value: False)
    (3, None)
    """
    place = bisect_left(values, True, key=withstands)
    return values[place] if place < len(values) else None


def read_tunable(call: str) -> MaskingMethod:
    """Read the call of a method; one without a parameter to tune is refused whatever else is said.

    >>> read_tunable("rank_swapping")
    rank_swapping(p=5, columns="quasi")
    """
    name = call.partition("(")[0].strip()
    if name in Method.known():
        _require_tunable(name)
    return _tunable(Method.parse(call))


def _tunable(method: Method) -> MaskingMethod:
    _require_tunable(method.call)
    assert isinstance(method, MaskingMethod)  # noqa: S101 - those that can be tuned are
    return method


def _require_tunable(name: str) -> None:
    known = [n for n, m in Method.known().items() if issubclass(m, MaskingMethod) and m.strength]
    if name not in known:
        raise CallError(
            f"{name} has no parameter that could be tuned to withstand an intruder.",
            f"one of {', '.join(known)}.",
        )


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


@dataclass(frozen=True)
class _Tried:
    """One release, and what intruders found in it."""

    results: AttackResults
    rank_correlation: float

    @property
    def withstands(self) -> bool:
        return self.results.worst.withstands


def _try(
    microdata: Microdata,
    method: MaskingMethod,
    number: int,
    attack: MaximumKnowledge,
    columns: Sequence[str],
) -> _Tried:
    """Make a release with the key of a number, and let everybody try it."""
    masked = [column.name for column in method.chosen(microdata)]
    publication = method.publish(microdata, Key(bytes([number + 1]) * 32))
    pair = aligned_with(microdata, publication, columns)
    correlations = [
        rank_correlation(each.original.ranks, each.mapped_ranks) or 0.0
        for each in pair.attributes
        if each.name in masked
    ]
    left = float(np.mean(correlations)) if correlations else 1.0
    return _Tried(attack_pair(pair, attack), left)


def _worst(value: float, tried: Sequence[_Tried]) -> Trial:
    """What the releases with a value have in common: the worst of them."""
    all_results = [each.results for each in tried]
    whole = [tried_by(results, MaximumKnowledge).figures for results in all_results]
    return Trial(
        value=value,
        releases=len(tried),
        advantage=max(_largest_advantage(results) for results in all_results),
        hellinger=max(linkage.hellinger for linkage in whole),
        correct=max(result.score for results in all_results for result in results),
        rank_correlation=float(np.mean([each.rank_correlation for each in tried])),
        withstands=all(each.withstands for each in tried),
        reason=next((_reason(results) for results in all_results if _reason(results)), ""),
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
