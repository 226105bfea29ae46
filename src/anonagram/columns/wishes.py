"""How widely people ask to be hidden, as they write it.

A number is a width: the distance between the ends of what may be believed of her, in the column's
unit (days of dates), or for other values how many of them. ``30 to 40``, ``[30, 40]`` and ``[60]``
are values that must stay as likely as the target says, ``all`` is all of them. Labels of the
column's hierarchy stand for their values.

>>> read_wishes(pl.Series(["20", "[30, 40]", "all"]), pl.Series([30, 40, 50, 60]), "numeric")
Wishes(width=array([20.,  0.,  0.]), low=array([4, 0, 0]), high=array([-1,  1,  3]), wrong=None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Fits
from anonagram.columns.encoding import as_type
from anonagram.columns.hierarchy import Hierarchy, value_texts
from anonagram.columns.places import is_measured

EVERYTHING = "all"
Guard = (
    Annotated[
        str,
        Fits(lambda name: any(map(str.isalnum, name)), "the name of a column with the role guard"),
    ]
    | None
)
"""A parameter that names the column of wishes; None where the schema says it."""
Run = tuple[int, int]


@dataclass(frozen=True)
class Wishes:
    """What each of some texts asks for: a width, and a run of values; each may be of no matter."""

    width: NDArray[np.float64]
    low: NDArray[np.int64]
    """The first of the values; behind the last where none is named."""
    high: NDArray[np.int64]
    """The last of the values; -1 where none is named."""
    wrong: str | None
    """A text that cannot be read."""


def read_wishes(
    texts: pl.Series, values: pl.Series, kind: str, hierarchy: Hierarchy | None = None
) -> Wishes:
    """Read texts about values that stand in their order, a missing one last."""
    find = _finder(values, kind, hierarchy)
    widths, runs = np.zeros(len(texts)), np.empty((len(texts), 2), np.int64)
    for place, text in enumerate(texts.to_list()):
        width = _number(text)
        run: Run | None = (len(values), -1)
        if text.lower() == EVERYTHING:
            run = (0, len(values) - 1)
        elif width is None:
            run = _run(text, find)
        elif width < 0:
            run = None
        if run is None:
            return Wishes(widths, runs[:, 0], runs[:, 1], wrong=text)
        widths[place], runs[place] = width or 0.0, run
    return Wishes(widths, runs[:, 0], runs[:, 1], wrong=None)


def _number(text: str) -> float | None:
    """A width; none where the text is something else."""
    try:
        width = float(text)
    except ValueError:
        return None
    return width if math.isfinite(width) else None


def _run(text: str, find: Callable[[str, str], Run | None]) -> Run | None:
    """The values that a text names: one, those from one to another, or a label's."""
    inner = re.fullmatch(r"\[(.*)\]", text)
    plain = text if inner is None else inner[1].strip()
    tried = [(plain, plain)]
    for between in (" to ",) if inner is None else (" to ", ","):
        parts = plain.split(between)
        tried += [
            (between.join(parts[:cut]).strip(), between.join(parts[cut:]).strip())
            for cut in range(1, len(parts))
        ]
    return next((run for low, high in tried if (run := find(low, high)) is not None), None)


def _finder(
    values: pl.Series, kind: str, hierarchy: Hierarchy | None
) -> Callable[[str, str], Run | None]:
    """From the texts of two values the codes of those between them."""
    present = values.drop_nulls()
    labels = _labels(present, hierarchy)
    if not is_measured(kind):
        places = {text: (code, code) for code, text in enumerate(value_texts(present))}
        return lambda low, high: _between((labels | places).get(low), (labels | places).get(high))

    def find(low: str, high: str) -> Run | None:
        ends = as_type(pl.Series([low, high]), values.dtype)
        if ends.has_nulls():
            return labels.get(low) if low == high else None
        first, last = ends.to_list()
        begin = int(present.search_sorted(first, "left"))
        end = int(present.search_sorted(last, "right")) - 1
        return (begin, end) if begin <= end else None

    return find


def _between(low: Run | None, high: Run | None) -> Run | None:
    return None if low is None or high is None or low[0] > high[1] else (low[0], high[1])


def _labels(present: pl.Series, hierarchy: Hierarchy | None) -> dict[str, Run]:
    """The values of each label of a hierarchy, coarser ones first."""
    found: dict[str, Run] = {}
    texts = value_texts(present)
    for level in range(1, hierarchy.height + 1) if hierarchy is not None else ():
        for code, text in enumerate(texts):
            label = hierarchy.label(text, level) if hierarchy is not None else ""
            low, high = found.get(label, (code, code))
            found[label] = (min(low, code), max(high, code))
    return found
