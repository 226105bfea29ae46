"""What a person finds out, in plain words; the page in a bundle says the same (`page.js`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from anonagram.columns.places import is_measured
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.release import Release
    from anonagram.verify.fit import Fit
    from anonagram.verify.verification import Belief, Distance, Verification

LITTLE = 0.1
TIMES = 3
"""A value that becomes so many times as likely is what a release gives away, however rare it stays."""
NEARLY_SURE = 0.9
RARE = 0.0005
"""A smaller share would be told as 0.0%."""
BY_GROUP = "This is by your group alone: somebody who learns from all groups together may be surer."
BY_ROWS = "This weighs all rows that can be yours: whoever finds out which of them is, knows more."
"""Of a masked table, where an audit may link most people whose rows seem to be anybody's."""
FOUND_BY_AUDIT = (
    "how many people are found like that, anonagram audit tells whoever has the original"
)


def summary_of(found: Verification) -> list[str]:
    """What it means for her: what stands open first, the conclusion last."""
    left_out = [left_out_told(found.left_out)] if found.left_out else []
    if not found.is_found:
        return [_nothing_told(found), *left_out]
    told = [_open_told(found)] if found.open_rows else []
    told += [_fit_told(found.fit)] if found.fit and found.fit.is_telling else []
    is_linked = found.distance is not None and found.candidate_groups is None
    told += [_linked_told(found.distance)] if found.distance and is_linked else []
    told += [_candidates_told(found), *left_out]
    told += [_belief_told(found, each) for each in found.beliefs]
    told += [
        f"{found.title(name)}: its published values were changed, and are nobody's."
        for name in found.untrue
    ]
    if found.distance is not None and not is_linked:
        told.append(_near_told(found.distance))
    if found.fit is not None and not found.fit.is_telling:
        told.append(_fit_told(found.fit))
    if found.beliefs:
        told.append(_conclusion(found))
    return told


def percent(share: float) -> str:
    """A share in percent; a rare one has as many digits as it takes to tell it from none.

    >>> percent(0.25), percent(0.00007), percent(0.0)
    ('25.0%', '0.007%', '0.0%')
    """
    digits = 1 if share >= RARE or not share else -math.floor(math.log10(100 * share))
    return f"{100 * share:.{digits}f}%"


def surer_told(release: Release) -> str:
    """Who may be surer of her values than is told; empty where nothing is to be added."""
    if release.masked:
        return BY_ROWS
    return BY_GROUP if release.grouped is not None else ""


def left_out_told(rows: int) -> str:
    """That anybody may be among rows that were left out; empty where there are none."""
    return (
        f"{how_many(rows, 'row was', 'rows were')} left out of the release: yours may be one of them."
        if rows
        else ""
    )


def _nothing_told(found: Verification) -> str:
    if not found.unknown:
        return (
            "Nothing in this release can be you: no row or group has all of these values together."
        )
    shown = " and ".join(f"{found.title(name)} “{found.known[name]}”" for name in found.unknown)
    dates = [n for n in found.unknown if n in found.about and found.about[n].kind == "date"]
    how = f" (a date is written {_date_form(found, dates[0])})" if dates else ""
    told = "".join(_instead_told(found, name) for name in found.unknown)
    return (
        f"Nothing can be said: no row has {shown}. Check how it is written{how}, or you are not in it."
        f"{told}"
    )


def _instead_told(found: Verification, name: str) -> str:
    """Which values there are, where somebody gave another."""
    values = found.instead.get(name, ())
    if not values:
        return ""
    if name in found.about and is_measured(found.about[name].kind):
        return f" {found.title(name)} goes from {values[0]} to {values[-1]}."
    listed = ", ".join(found.quoted(name, value) for value in values)
    return f" There are rows with {found.title(name)} {listed}."


def _date_form(found: Verification, name: str) -> str:
    """How a date of a column may be given: as the table has it, or as it is published."""
    original = found.about[name].original
    own = "" if original is None or original.format is None else original.format
    return f"{own}, as in the table, or 2024-01-31" if own else "2024-01-31"


def _open_told(found: Verification) -> str:
    *first, last = (found.title(name) for name in found.known)
    names = f"{', '.join(first)} and {last}" if first else last
    is_one = found.open_rows == 1
    shown = ""
    if found.also_open:
        also = ", ".join(found.title(name) for name in found.also_open)
        shown = f"; {'it also shows' if is_one else 'they also show'} {also}"
    rows = "one row" if is_one else how_many(found.open_rows or 0, "row")
    return f"With {names} alone {rows} can be yours{shown}."


def _candidates_told(found: Verification) -> str:
    if found.candidate_groups is None:
        return f"{found.candidate_rows:,} of {how_many(found.rows, 'row')} can be yours."
    groups = (
        "one group" if found.candidate_groups == 1 else how_many(found.candidate_groups, "group")
    )
    has = "it has" if found.candidate_groups == 1 else "they have"
    return (
        f"You can be in {groups}; {has} {found.candidate_rows:,} of {how_many(found.rows, 'row')}."
    )


def _belief_told(found: Verification, belief: Belief) -> str:
    top = belief.likeliest[0]
    told = (
        f"{found.title(belief.attribute)}: somebody who knows you believes most in "
        f"{found.quoted(belief.attribute, top.value)} "
        f"({percent(top.probability)}; it is {percent(top.before)} of the table)"
    )
    if belief.own is not None and belief.own.before:
        told += f", and in your own with {percent(belief.own.probability)}"
    if belief.between and belief.of_all and belief.possible > 1:
        low, high = belief.between
        told += f". What is possible lies between {low} and {high}"
        told += f" (in the table {' to '.join(belief.of_all)})"
    if belief.possible == 1:
        told += ". No other value is possible: this is known of you"
    if belief.own is not None and not belief.own.before:
        told += ". Nobody has what you gave as your own: check how it is written"
        return f"{told}.{_instead_told(found, belief.attribute)}"
    return f"{told}."


def _fit_told(fit: Fit) -> str:
    """Whether she is in the table at all."""
    others = f"{percent(fit.outsiders)} of people like them who are not in it"
    believed = (
        f"Everybody in the table fits a group, and so do {others}: whoever believed 10% beforehand that you "
        f"are in it, now believes {percent(fit.believed)}."
    )
    if not fit.is_alone:
        return believed
    alone = "Without you no group would have all of these values together: that one has them tells of you."
    rare = (
        believed
        if fit.is_rare
        else f"Of people like those in the table who are not in it {percent(fit.outsiders)} fit one."
    )
    return f"{alone} {rare}"


def _near_told(distance: Distance) -> str:
    """Where groups are: a row of a group is nobody's, so whether the group fits is what tells."""
    if distance.matches > 1:
        nearest = how_many(distance.matches, "record is", "records are")
        return f"{nearest} nearest to yours, {distance.record:g} ranks away."
    return f"The record nearest to yours is {distance.record:g} ranks away."


def _linked_told(distance: Distance) -> str:
    """Where every row is somebody's: which of them a linkage attack takes for hers."""
    is_one = distance.matches == 1
    nearest = "the one row" if is_one else f"one of the {how_many(distance.matches, 'row')}"
    taken = (
        f"Whoever links rows with people takes {nearest} nearest to you for yours, "
        f"{distance.record:g} ranks away"
    )
    if distance.is_plausible:
        return (
            f"{taken}. {percent(distance.plausible)} of records made up at random have a match as near, so "
            f"its nearness does not show that it is yours, nor that it is not: {FOUND_BY_AUDIT}."
        )
    return (
        f"{taken}; only {distance.plausible:.2%} of records made up at random have a match as near: "
        "it may well be you."
    )


def _conclusion(found: Verification) -> str:
    """Whether the release says much about her that the table does not say of everybody."""
    surest = max(belief.likeliest[0].probability for belief in found.beliefs)
    if surest >= NEARLY_SURE:
        return "This is nearly certain: the release gives it away about you."
    likely = [(belief.attribute, each) for belief in found.beliefs for each in belief.likeliest]
    likely += [(b.attribute, b.own) for b in found.beliefs if b.own is not None]
    # to nine digits, so that command and page take the same of several that have risen alike
    column, risen = max(likely, key=lambda pair: float(f"{pair[1].times:.9g}"))
    learned = f" {found.surer}" if found.surer else ""
    if risen.times >= TIMES:
        value = found.quoted(column, risen.value)
        return (
            f"For {found.title(column)}, {value} is {risen.times:.0f} times as likely for you as for "
            f"anybody ({percent(risen.before)} before, {percent(risen.probability)} now): that is what the "
            f"release gives away.{learned}"
        )
    if max(each.probability - each.before for _, each in likely) <= LITTLE:
        return f"That is hardly more than the table says of everybody.{learned}"
    return f"That is more than the table says of everybody, and far from certain.{learned}"
