"""Groups that keep signatures, with as few counterfeit rows as can be (Xiao and Tao 2007, section 4).

People who must have a signature are put together by it. Every value of a signature must occur as
often as the most frequent one; new people fill what is missing, and counterfeits what is left. New
people who remain are grouped by themselves, and where one value is too frequent among them, the m most
frequent ones become a signature.

A rule that makes no more counterfeits than it must tells what they are: none has a value that somebody
new could have brought. So chance has a say wherever new people are given places. Some places are kept
for counterfeits, and some people stand elsewhere than near. Whatever was published could then have been
published if the values of any signature were dealt to its people in another way, and nobody loses a
possible value to somebody who knows the rule.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from anonagram.key import Key
from anonagram.methods.balanced import (
    Balance,
    Codes,
    Groups,
    Places,
    cells_of,
    is_drawn,
    joined,
    repeat_signatures,
)
from anonagram.methods.newcomers import group_new, place_changed
from anonagram.methods.remembered import refuse_shown


def balance(given: Balance) -> Groups:
    """Put every row into a group."""
    signature_of = _filled(given)
    kept = repeat_signatures(given, signature_of, "kept")
    new = np.flatnonzero(signature_of < 0)
    is_barred = np.isin(new, list(given.remembered.barred))
    fresh = group_new(given, new[~is_barred].astype(np.int32))
    both = joined(kept, fresh)
    groups = place_changed(given, both, kept.count, new[is_barred])
    _require_hidden(given, groups)
    return groups


def _require_hidden(given: Balance, groups: Groups) -> None:
    """Refuse to show somebody by a value that nobody can have made up.

    Counterfeits have values that people have or earlier releases told. So one that is told for the
    first time, and once, is somebody's; where all people beside counterfeits have such a value, it is
    plain which values are theirs.
    """
    told = np.bincount(np.concatenate([given.codes, groups.fakes]), minlength=given.values)
    is_certain = told == 1
    is_certain[given.remembered.signatures["code"].to_numpy()] = False
    others = np.bincount(groups.of_people[~is_certain[given.codes]], minlength=groups.count)
    fakes = np.bincount(groups.of_fakes, minlength=groups.count)
    shown = np.flatnonzero(((others == 0) & (fakes > 0))[groups.of_people])
    if shown.size:
        refuse_shown(given.microdata, shown)


def _filled(given: Balance) -> Codes:
    """The signatures of rows, also of new ones that fill what is missing: near ones where they can."""
    signature_of = given.remembered.signature_of.copy()
    missing = cells_of(given, signature_of).filter(pl.col("needs") > pl.col("has"))
    missing = missing.with_columns(lacks=pl.col("needs") - pl.col("has"))
    missing = _without_held_back(given, missing).sort("code", "place", "signature")
    missing = _fill_with_changed(given, missing, signature_of)
    open_places = missing.select(pl.all().repeat_by("lacks")).explode(missing.columns)
    new = np.flatnonzero(signature_of < 0)
    new = new[~np.isin(new, list(given.remembered.barred))]
    new = new[np.lexsort((given.places[new], given.codes[new]))]
    starts = np.searchsorted(given.codes[new], np.arange(given.values + 2))
    codes, places = open_places["code"].to_numpy(), open_places["place"].to_numpy()
    signatures = open_places["signature"].to_numpy()
    asked_for = np.bincount(codes, minlength=given.values + 1)
    fills = _how_many_fill(np.diff(starts), asked_for, given.m, given.key)
    for code in np.unique(codes).tolist():
        asked = np.flatnonzero(codes == code)
        asked = np.sort(asked[given.key.permutation(f"fills/{code}", asked.size)[: fills[code]]])
        there = new[starts[code] : starts[code + 1]]
        slots, rows = _mostly_near(given, code, places[asked], given.places[there])
        signature_of[there[rows]] = signatures[asked[slots]]
    return signature_of


def _how_many_fill(people: Places, places: Places, m: int, key: Key) -> Places:
    """Of each value, how many of the new people fill places, so that the others can be groups.

    Whoever finds no place stands in a group with m - 1 others who are new. If those filled places
    wherever they can, a frequent value would stand beside counterfeits instead, which cost as much, and
    be known by them. Where even all others are too few, the m most frequent values stay as they must.
    Chance has a say here too, once a release: if nobody ever filled a place instead, somebody new
    beside a counterfeit would tell that all who filled places have her value.

    >>> _how_many_fill(np.array([4, 1, 1, 1]), np.array([0, 1, 1, 1]), 4, Key(bytes(32))).tolist()
    [0, 0, 0, 0]
    """
    left = np.maximum(people - places, 0)
    most = int(left.max(initial=0))
    stays = np.maximum(left, np.minimum(people, most))
    room, needed = stays - left, m * most - int(left.sum())
    if room.sum() < needed:
        by_lot = key.permutation("who fills/values", people.size)
        room[np.lexsort((by_lot, -stays))[m:]] = 0
    can_stay = np.repeat(np.arange(people.size), room)
    stay = can_stay[key.permutation("who fills/people", can_stay.size)[: max(0, needed)]]
    stay = stay[: 0 if is_drawn(key, "who fills/everybody", 1)[0] else None]
    fills: Places = people - left - np.bincount(stay, minlength=people.size)
    return fills


def _without_held_back(given: Balance, missing: pl.DataFrame) -> pl.DataFrame:
    """Without the places that stay with counterfeits, whoever might fill them.

    A place that is held back is mostly held back in later releases too: if chance were asked anew each
    time, a counterfeit that stands for months would tell that nobody could replace it.
    """
    cells, lacks = missing["cell"].to_numpy(), missing["lacks"].to_numpy()
    held = np.zeros(lacks.size, np.int64)
    known = given.remembered.signatures.height
    for number in range(int(lacks.max(initial=0))):
        is_held = is_drawn(given.remembered.secret, f"held back/{number}", known)
        is_held &= ~given.drawn(f"let go/{number}", known)
        held += is_held[cells] & (lacks > number)
    return missing.with_columns(lacks=pl.Series(lacks - held)).filter(pl.col("lacks") > 0)


def _mostly_near(given: Balance, code: int, slots: Places, rows: Places) -> tuple[Places, Places]:
    """Pairs of near ones, as many as the shorter list has; some are left to chance."""
    apart = [
        given.drawn(f"apart/{what}/{code}", each.size)
        for what, each in (("places", slots), ("people", rows))
    ]
    near = [np.flatnonzero(~each) for each in apart]
    pairs = _paired(slots[near[0]], rows[near[1]])
    paired = [each[at] for each, at in zip(near, pairs, strict=True)]
    others = [
        np.delete(np.arange(each.size), done)
        for each, done in zip((slots, rows), paired, strict=True)
    ]
    most = min(each.size for each in others)
    drawn = [
        each[given.key.permutation(f"pairs/{what}/{code}", each.size)[:most]]
        for what, each in zip(("places", "people"), others, strict=True)
    ]
    first, second = (np.concatenate(both) for both in zip(paired, drawn, strict=True))
    return first, second


def _paired(slots: Places, rows: Places) -> tuple[Places, Places]:
    """Pairs of near ones from two sorted lists, as many as the shorter has, in the same order.

    >>> [each.tolist() for each in _paired(np.array([5, 6]), np.array([1, 5, 9]))]
    [[0, 1], [1, 2]]
    """
    if slots.size > rows.size:
        other, own = _paired(rows, slots)
        return own, other
    every = np.arange(slots.size)
    at = np.maximum.accumulate(np.searchsorted(rows, slots) - every) + every
    return every, np.minimum(at, rows.size - slots.size + every)


def _fill_with_changed(given: Balance, missing: pl.DataFrame, signature_of: Codes) -> pl.DataFrame:
    """Let people whose value changed fill first: they can take few places, others any."""
    if not given.remembered.barred or missing.is_empty():
        return missing
    lacks = missing["lacks"].to_list()
    signatures, codes = missing["signature"].to_list(), missing["code"].to_numpy()
    values = _values_of(given.remembered.signatures)
    rows = sorted(given.remembered.barred)
    stays_new = given.drawn("changed people/new", len(rows))
    words = given.key.words("changed people/place", len(rows)).tolist()
    for row, stays, word in zip(rows, stays_new, words, strict=True):
        barred = given.remembered.barred[row]
        first, last = np.searchsorted(codes, [given.codes[row], given.codes[row] + 1])
        free = [at for at in range(first, last) if lacks[at]]
        free = [at for at in free if not (values[signatures[at]] & barred)]
        if free and not stays:
            chosen = free[word % len(free)]
            lacks[chosen] -= 1
            signature_of[row] = signatures[chosen]
    return missing.with_columns(lacks=pl.Series(lacks, dtype=pl.Int64)).filter(pl.col("lacks") > 0)


def _values_of(signatures: pl.DataFrame) -> dict[int, frozenset[int]]:
    return {
        signature: frozenset(codes)
        for signature, codes in signatures.group_by("signature").agg("code").iter_rows()
    }
