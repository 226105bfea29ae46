"""How answers are shown: bounds first, with the interval between them drawn."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from anonagram.present.sections import Cell, Document, Interval, Section, Table, say
from anonagram.queries import Answer, Answers, Estimate
from anonagram.queries.answers import NORMAL_95

DIGITS = 6
ABOUT_ESTIMATES = (
    "The truth lies between lower and upper. Over many such releases, estimate ± holds it\n"
    "95 % of the time; naive is what the published rows say as they stand."
)
ABOUT_BOUNDS = (
    "The truth lies between lower and upper. The estimate takes people of a group to be alike;\n"
    "how far it is off is not known."
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
        sections.append(say(ABOUT_BOUNDS))
    count = len(answers)
    return Document(f"{count:,} {'answer' if count == 1 else 'answers'}", tuple(sections))


def _aggregate(answers: Answers, name: str) -> Section:
    lines = [row[name] for row in answers]
    ends = [end for each in lines for end in (each.lower, each.upper) if end is not None]
    places = [place for place in map(_place, ends) if place is not None]
    scale = (min(places), max(places)) if places else None
    rows = [
        [*(_key_text(row[key]) for key in answers.keys), *_line(row[name], scale)]
        for row in answers
    ]
    last = "naive" if any(isinstance(line, Estimate) for line in lines) else ""
    head = [*answers.keys, "lower", "upper", "", "estimate", "", last]
    return Section(name, Table.of(head, rows))


def _line(answer: Answer, scale: Scale) -> list[Cell]:
    line = _plain_line(answer, scale)
    if isinstance(answer, Estimate) and answer.naive is not None:
        line[-1] = _text(answer.naive)
    return line


def _plain_line(answer: Answer, scale: Scale) -> list[Cell]:
    if answer.lower is None:
        return ["NULL", "NULL", "", "", "", "nobody"]
    drawing = _drawing(answer, scale)
    if answer.exact:
        value = _text(answer.estimate)
        return [value, value, drawing, value, "exact", ""]
    spread = ""
    if isinstance(answer, Estimate) and answer.deviation is not None:
        spread = f"± {NORMAL_95 * answer.deviation:,.3g}"  # not cut to the bounds
    ends = [_text(answer.lower), _text(answer.upper)]
    estimate = "unknown" if answer.estimate is None else _text(answer.estimate)
    return [*ends, drawing, estimate, spread, ""]


def _drawing(answer: Answer, scale: Scale) -> Cell:
    low, middle, high = (_place(value) for value in (answer.lower, answer.estimate, answer.upper))
    if scale is None or low is None or middle is None or high is None:
        return ""
    # an estimate without bias may lie beyond the bounds
    return Interval(low, min(max(middle, low), high), high, *scale)


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
