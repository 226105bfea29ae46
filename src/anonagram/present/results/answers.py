"""How answers are shown: bounds first, with the interval between them drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from anonagram.present.sections import Cell, Document, Interval, Section, Table, say
from anonagram.queries import Answer, Answers, Estimate, Likely
from anonagram.shown.outward import lower_end, upper_end

DIGITS = 6
ABOUT_ESTIMATES = (
    "The truth lies between lower and upper, and over many such releases within the last column "
    "95 % of the time. The estimate is the published rows' answer as it stands, or corrected for what "
    "was replaced: whichever is expected to be less off."
)
ABOUT_BOUNDS = (
    "The truth lies between lower and upper. The estimate takes people of a group to be alike; "
    "how far it is off is not known."
)
ABOUT_LEARNED = (
    "The truth lies between lower and upper. The estimate is the mean over worlds drawn as a model\n"
    "of the release says; how far it is off is not known."
)
ABOUT_LIKELY = (
    "Over many such releases the interval holds the truth 95 % of the time, whatever the model says:\n"
    "rows of a value are in groups by chance alone."
)
Scale = tuple[float, float] | None


def document(answers: Answers) -> Document:
    """A table for each aggregate, a line each group, and what the figures mean."""
    sections = [] if len(answers) else [say("No group fits the question.")]
    if not answers.aggregates:
        rows = [[_key_text(row[key]) for key in answers.keys] for row in answers]
        sections.append(Section("Groups that can occur", Table.of(answers.keys, rows)))
    sections += [_aggregate(answers, name) for name in answers.aggregates]
    uncertain = [row[n] for row in answers for n in answers.aggregates if not row[n].exact]
    if any(isinstance(answer, Estimate) for answer in uncertain):
        sections.append(say(ABOUT_ESTIMATES))
    elif uncertain:
        sections.append(say(ABOUT_LEARNED if answers.learned else ABOUT_BOUNDS))
    if any(isinstance(answer, Likely) for answer in uncertain):
        sections.append(say(ABOUT_LIKELY))
    sections += [say(note) for note in answers.notes]
    count = len(answers)
    return Document(f"{count:,} {'answer' if count == 1 else 'answers'}", tuple(sections))


def _aggregate(answers: Answers, name: str) -> Section:
    lines = _as_days([row[name] for row in answers])
    ends = [end for each in lines for end in (each.lower, each.upper) if end is not None]
    places = [place for place in map(_place, ends) if place is not None]
    scale = (min(places), max(places)) if places else None
    exact = "exact of what is published" if answers.coarser else "exact"
    rows = [
        [*(_key_text(row[key]) for key in answers.keys), *_line(line, scale, exact)]
        for row, line in zip(answers, lines, strict=True)
    ]
    last = "95 % interval" if any(isinstance(line, Estimate) for line in lines) else ""
    head = [*answers.keys, "lower", "upper", "", "estimate", "", last]
    return Section(name, Table.of(head, rows))


def _as_days(lines: list[Answer]) -> list[Answer]:
    """Answers all of which are whole days, as days: databases make moments of medians of dates."""
    told = [each for line in lines for each in (line.estimate, line.lower, line.upper)]
    if not all(each is None or _is_day(each) for each in told):
        return lines
    return [
        replace(line, estimate=_day(line.estimate), lower=_day(line.lower), upper=_day(line.upper))
        for line in lines
    ]


def _is_day(value: Any) -> bool:
    return isinstance(value, datetime) and value.tzinfo is None and value.time() == time()


def _day(value: datetime | None) -> date | None:
    return None if value is None else value.date()


def _line(answer: Answer, scale: Scale, exact: str) -> list[Cell]:
    if answer.lower is None:
        return ["NULL", "NULL", "", "", "", "nobody"]
    drawing = _drawing(answer, scale)
    if answer.exact:
        value = _text(answer.estimate)
        return [value, value, drawing, value, exact, ""]
    ends = [_text(lower_end(answer.lower, DIGITS)), _text(upper_end(answer.upper, DIGITS))]
    estimate = "unknown" if answer.estimate is None else _text(answer.estimate)
    how, interval = "", ""
    if isinstance(answer, Estimate) and answer.estimate is not None:
        how = "as it stands" if answer.taken == "naive" else "corrected"
        interval = _between(answer.interval)
    if isinstance(answer, Likely):
        low, high = answer.interval
        how = f"{low:,.0f} to {high:,.0f}, 95 %"
    return [*ends, drawing, estimate, how, interval]


def _between(interval: tuple[float, float] | None) -> str:
    """An interval in as many digits as tell its ends apart."""
    if interval is None:
        return "unknown"
    low, high = interval
    places = max(0, 2 - math.floor(math.log10(high - low))) if high > low else 2
    return f"{low:,.{min(places, DIGITS)}f} to {high:,.{min(places, DIGITS)}f}"


def _drawing(answer: Answer, scale: Scale) -> Cell:
    low, middle, high = (_place(value) for value in (answer.lower, answer.estimate, answer.upper))
    if scale is None or low is None or middle is None or high is None:
        return ""
    return Interval(low, middle, high, *scale)


def _place(value: Any) -> float | None:
    """Where a value stands on a line; None for texts."""
    if isinstance(value, str | bool) or value is None:
        return None
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1)).total_seconds()
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return float(value)


def _key_text(value: Any) -> str:
    """A group key as it is: a year has no thousands."""
    return "(missing)" if value is None else str(value)


def _text(value: Any) -> str:
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 10**15:
            return f"{value:,.0f}"
        return f"{value:,.2f}" if abs(value) >= 1000 else f"{value:.{DIGITS}g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
