"""Does the answer of a release hold against the truth?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

from anonagram.queries import Answer, Answers, Estimate
from tests.hunt.places import Key, key_of, kind, place, places
from tests.hunt.question import Item, Question
from tests.hunt.truth import UNKNOWN, Found, exact_sum


@dataclass(frozen=True)
class Wrong:
    """One thing about an answer that is not so."""

    what: str
    """In a few words that are the same for every miss of the kind."""
    detail: str


@dataclass(frozen=True)
class Read:
    """An answer by group key."""

    rows: dict[Key, list[Answer]]
    wrong: list[Wrong]
    twins: set[Key]
    tells_all: bool
    """Whether every group must be among them."""


def read_answers(question: Question, answers: Answers, *, tells_all: bool) -> Read:
    """The answers by their keys, in the order of the select list."""
    rows: dict[Key, list[Answer]] = {}
    wrong, twins = [], set()
    for row in answers:
        values = list(row.values())
        if len(values) != len(question.items):
            wrong.append(Wrong("columns lost", f"{list(row)} for {question.sql()}"))
            continue
        both = list(zip(values, question.items, strict=True))
        key = key_of(value for value, item in both if item.is_key)
        if key in rows:
            twins.add(key)
        rows[key] = [value for value, item in both if not item.is_key]
    wrong += [Wrong("group twice", str(key)) for key in twins if not _is_time(key)]
    wrong += [] if wrong else _disorder(question, answers)
    return Read(rows, wrong, twins, tells_all)


def _disorder(question: Question, answers: Answers) -> list[Wrong]:
    """Whether rows come in the order and number that was asked for; estimates are what counts."""
    found = re.match(r" LIMIT (\d+)", question.limit)
    if found and len(answers) > int(found[1]):
        return [Wrong("more rows than LIMIT", f"{len(answers)}")]
    if question.ordered is None:
        return []
    place_, is_down = question.ordered
    shown = [list(row.values())[place_] for row in answers]
    estimates = [value.estimate if isinstance(value, Answer) else value for value in shown]
    if any(isinstance(value, float) for value in estimates):  # beside which 477.71 is 477.71
        estimates = [float(v) if isinstance(v, Decimal) else v for v in estimates]
    known = [one for one in places(*estimates) if one is not None and one != ("nan",)]
    if len({kind(one) for one in known}) == 1 and known != sorted(known, reverse=is_down):
        return [Wrong("not in the order asked for", f"{estimates}")]
    return []


def _is_time(key: Key) -> bool:
    """Whether a key may have nanoseconds, which Python does not show."""
    return any(kind(part) in ("moment", "clock") for part in key)


MOST_EMPTY = 2_000
"""Groups in which nobody is that are looked at: some answers name 80,000 possible ones."""


def judge(question: Question, read: Read, truth: Found) -> tuple[int, list[Wrong]]:
    """How many cells of groups that are there were compared, and what is wrong."""
    wrong, twins, cells = list(read.wrong), truth.twins | read.twins, 0
    for key in truth.rows.keys() - twins:
        if key not in read.rows:
            if read.tells_all:
                wrong.append(Wrong("group missing", f"{key}"))
            continue
        cells += max(1, sum(each is not UNKNOWN for each in truth.rows[key]))
        for place_, item in enumerate(question.aggregates):
            values = truth.lists[key][place_] if key in truth.lists else None
            found = judge_cell(item, read.rows[key][place_], truth.rows[key][place_], values)
            wrong += (
                [Wrong(found.what, f"{item.sql()} at {_told(key)}: {found.detail}")]
                if found
                else []
            )
    nobody = (key for key in read.rows if key not in truth.rows and key not in twins)
    for key in islice(nobody, MOST_EMPTY):  # not counted: nobody is there
        for item, answer in zip(question.aggregates, read.rows[key], strict=True):
            found = judge_nobody(item, answer)
            wrong += (
                [Wrong(found.what, f"{item.sql()} at {_told(key)}: {found.detail}")]
                if found
                else []
            )
    return cells, wrong


def _told(key: Key) -> str:
    return ", ".join(str(part) for part in key) or "all"


def judge_cell(item: Item, answer: Answer, truth: Any, values: list[Any] | None) -> Wrong | None:
    """Whether one answer holds; `values` are those that a sum or mean is taken over."""
    broken = judge_form(answer)
    if broken:
        return broken
    if truth is UNKNOWN:
        return None
    told = f"{_bounds(answer)}, exact {answer.exact}"
    truths = _truths(item, truth, values, answer)
    if not truths:
        if answer.exact and answer.estimate is not None:
            return Wrong("exact, but nobody is there", f"truth NULL; {told}")
        return None
    if answer.lower is None or answer.upper is None:
        return Wrong("no bounds, but a value", f"truth {truth!r}; {told}")
    for one in truths:
        how = beyond(answer, one)
        if how:
            return Wrong(how, f"truth {_shown(one)} (DuckDB {truth!r}); {told}")
    if answer.exact and all(place(answer.estimate) != place(one) for one in (truth, *truths)):
        return Wrong("exact, but not the truth", f"truth {truth!r}; {told}")
    return None


def _bounds(answer: Answer) -> str:
    return f"lower {answer.lower!r}, upper {answer.upper!r}, estimate {answer.estimate!r}"


def judge_form(answer: Answer) -> Wrong | None:
    """What no answer may be, whatever the truth."""
    ends = answer.lower, answer.upper
    told = _bounds(answer)
    if ("nan",) in (place(ends[0]), place(ends[1])):
        return Wrong("a bound is not a number", told)
    if (ends[0] is None) != (ends[1] is None):
        return Wrong("one bound only", told)
    if ends[0] is None:
        return None
    low, high, middle = places(*ends, answer.estimate)
    if kind(low) != kind(high) or low > high:
        return Wrong("lower above upper", told)
    if isinstance(answer, Estimate) or kind(middle) != kind(low) or low <= middle <= high:
        return None
    return Wrong("estimate outside its bounds", told)


def judge_nobody(item: Item, answer: Answer) -> Wrong | None:
    """Whether an answer allows for a group in which there is nobody."""
    broken = judge_form(answer)
    if broken or not item.counts_nobody:
        return broken
    if answer.lower is not None and not place(answer.lower) <= 0 <= place(answer.upper):
        return Wrong("a group that is not there", f"lower {answer.lower!r}, upper {answer.upper!r}")
    return None


def _truths(item: Item, truth: Any, values: list[Any] | None, answer: Answer) -> list[Any]:
    """What must lie between the bounds: DuckDB's answer, and the exact one of sums and means.

    A share of nobody is NaN in DuckDB, and like every NaN it counts as missing.
    """
    found = [] if place(truth) in (None, ("nan",)) else [truth]
    total = exact_sum(values) if item.function in ("SUM", "AVG") else None
    if total is None:
        return found
    if item.function == "SUM":
        return [*found, total]
    mean = total / sum(value is not None for value in values or ())
    # a bound may be the mean itself or the float nearest to it; DuckDB rounds to one of the floats
    told = mean if beyond(answer, mean) is None else _rounded(mean)
    if answer.exact:
        return [told if place(answer.estimate) != place(truth) else truth]
    return [told, *(one for one in found if place(one) != place(_rounded(mean)))]


def _rounded(mean: Fraction) -> Any:
    """A mean as the nearest float."""
    try:
        return float(mean)
    except OverflowError:
        return mean


def _shown(value: Any) -> str:
    return (
        f"{float(value)!r}" if isinstance(value, Fraction) and abs(value) < 10**300 else repr(value)
    )


def beyond(answer: Answer, truth: Any) -> str | None:
    low, high, one = places(answer.lower, answer.upper, truth)
    if one == ("nan",):
        return None
    if not kind(low) == kind(high) == kind(one):
        return "bounds of another type"
    if one < low:
        return "below its lower bound"
    return "above its upper bound" if one > high else None
