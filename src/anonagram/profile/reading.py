"""How a column of a messy table is best read: what is missing, how dates and numbers are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from anonagram.columns.encoding import Read, read_column
from anonagram.columns.hierarchy import value_texts
from anonagram.columns.marked import find_marked
from anonagram.columns.written import CURRENCY, DATES, Written, find_format
from anonagram.errors import SchemaError
from anonagram.schema import ColumnRule
from anonagram.shown.wording import how_many
from anonagram.sources import Table


@dataclass(frozen=True)
class Reading:
    """What the schema should say about how a column is read, and why."""

    rule: ColumnRule
    why: tuple[str, ...] = ()


AS_IT_IS = Reading(ColumnRule("plain"))


def propose_reading(table: Table, name: str) -> tuple[Read, Reading]:
    """Read a column as it is probably meant."""
    about = table.about.get(name)
    rule = ColumnRule("plain")
    why: list[str] = []
    if about is not None:
        rule = replace(rule, label=about.label, labels=about.labels)
    read, rule, doubts = _read(table, name, rule)
    there = read
    told = () if about is None else about.missing
    marked = _marked(read, told)
    if marked:
        read, rule, doubts = _read(table, name, replace(rule, kind=None, missing=marked))
        codes = () if told else _marked(read, told)  # seen once texts are gone: ? and -9
        if codes:
            marked += codes
            read, rule, doubts = _read(table, name, replace(rule, kind=None, missing=marked))
        rows = int(
            (read.codes == len(read.domain)).sum() - (there.codes == len(there.domain)).sum()
        )
        listed = " and ".join(f"'{each}'" for each in marked)
        stands = "stands" if len(marked) == 1 else "stand"
        says = ", says the file" if told else ""
        why.append(f"{listed} in {how_many(rows, 'row')} {stands} for a missing value{says}")
    written = _written(read) if rule.kind is None else None
    if written is not None:  # a file with types that has texts for days and amounts
        read, rule, doubts = _read(table, name, replace(rule, format=written.formats[0]))
    if read.format is not None:
        rule = replace(rule, format=read.format)
        why.append(f"written {read.format}: {read.why if written is None else written.why}")
    return read, Reading(rule, (*why, *doubts))


def _read(table: Table, name: str, rule: ColumnRule) -> tuple[Read, ColumnRule, tuple[str, ...]]:
    """A column, as a text where its values leave in doubt what they are."""
    try:
        return read_column(table, name, rule), rule, ()
    except SchemaError as error:
        as_text = replace(rule, kind="nominal")
        doubt = f"a text until format says which: {error.what.split(': ', 1)[-1]}"
        return read_column(table, name, as_text), as_text, (doubt,)


def _written(read: Read) -> Written | None:
    """How texts are written that can be nothing but days or amounts, where only one reading is possible.

    A number without any sign may be a code, which is why somebody made it a text.
    """
    if read.domain.dtype != pl.String:
        return None
    texts = read.domain.str.strip_chars()
    found = find_format(texts)
    if found is None or len(found.formats) > 1:
        return None
    is_meant = found.formats[0] in DATES or texts.str.contains(f"{CURRENCY}|,").any()
    return found if is_meant else None


def _marked(read: Read, told: tuple[str, ...]) -> tuple[str, ...]:
    """Values that stand for a missing one: those the file tells, or that look like it."""
    texts = value_texts(read.domain)
    if told:
        return tuple(each for each in told if each in texts)
    return tuple(dict.fromkeys(texts[place].strip() for place in find_marked(read.domain)))
