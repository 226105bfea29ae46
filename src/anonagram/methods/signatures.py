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

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.key import Key
from anonagram.methods.remembered import Remembered, refuse_changed, refuse_shown
from anonagram.microdata import Microdata
from anonagram.partition import Diversity, Partitioner

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
BITS = 60
"""Of the number that says where a row lies."""
BY_CHANCE = 0.125
"""How often chance decides and not the rule. The smaller it is, the fewer counterfeits there are, and
the likelier is what the rule alone would tell."""


@dataclass(frozen=True)
class Groups:
    """A group, from 0, for each row and for each counterfeit."""

    of_people: Codes
    of_fakes: Codes
    fakes: Codes
    """The sensitive code of each counterfeit."""
    count: int

    @property
    def of_all(self) -> Codes:
        """The rows, and the counterfeits behind them."""
        return np.concatenate([self.of_people, self.of_fakes])


@dataclass(frozen=True)
class Balance:
    """What groups are made from."""

    microdata: Microdata
    remembered: Remembered
    m: int
    key: Key

    @cached_property
    def codes(self) -> Codes:
        """The sensitive value of each row."""
        return self.microdata.with_role("sensitive")[0].codes

    @cached_property
    def values(self) -> int:
        """How many sensitive values there are."""
        return self.microdata.with_role("sensitive")[0].cardinality

    @cached_property
    def places(self) -> Places:
        """Where each row lies: rows with near numbers are alike."""
        return _along_a_curve([c.codes for c in self.microdata.with_role("quasi")])

    def drawn(self, purpose: str, count: int) -> NDArray[np.bool_]:
        """So many times: whether chance decides here."""
        return _is_drawn(self.key, purpose, count)


def _is_drawn(key: Key, purpose: str, count: int) -> NDArray[np.bool_]:
    return key.words(purpose, count) < int(BY_CHANCE * 2**32)


def balance(given: Balance) -> Groups:
    """Put every row into a group."""
    signature_of = _filled(given)
    kept = _repeat_signatures(given, signature_of)
    new = np.flatnonzero(signature_of < 0)
    is_barred = np.isin(new, list(given.remembered.barred))
    fresh = _group_new(given, new[~is_barred].astype(np.int32))
    both = _joined(kept, fresh)
    groups = _place_changed(given, both, kept.count, new[is_barred])
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


def _joined(one: Groups, two: Groups) -> Groups:
    """Groups of some people, and behind them groups of others; -1 stands for those of neither."""
    people = np.where(two.of_people >= 0, two.of_people + one.count, one.of_people)
    fakes = np.concatenate([one.of_fakes, two.of_fakes + one.count])
    codes = np.concatenate([one.fakes, two.fakes])
    return Groups(people.astype(np.int32), fakes.astype(np.int32), codes, one.count + two.count)


# whoever has a signature, and who fills what is missing there


def _cells(given: Balance, signature_of: Codes) -> pl.DataFrame:
    """For each value of the signatures in use: how many have it, and how many should."""
    kept = np.flatnonzero(signature_of >= 0)
    people = pl.DataFrame(
        {"signature": signature_of[kept], "code": given.codes[kept], "place": given.places[kept]}
    )
    counted = people.group_by("signature", "code").agg(pl.len().cast(pl.Int64).alias("has"))
    about = people.group_by("signature").agg(pl.col("place").median().cast(pl.Int64))
    cells = given.remembered.signatures.with_row_index("cell")
    cells = cells.join(about, on="signature").join(counted, on=["signature", "code"], how="left")
    return cells.with_columns(pl.col("has").fill_null(0)).with_columns(
        needs=pl.col("has").max().over("signature")
    )


def _filled(given: Balance) -> Codes:
    """The signatures of rows, also of new ones that fill what is missing: near ones where they can."""
    signature_of = given.remembered.signature_of.copy()
    missing = _cells(given, signature_of).filter(pl.col("needs") > pl.col("has"))
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
    for code in np.unique(codes).tolist():
        asked = np.flatnonzero(codes == code)
        there = new[starts[code] : starts[code + 1]]
        slots, rows = _mostly_near(given, code, places[asked], given.places[there])
        signature_of[there[rows]] = signatures[asked[slots]]
    return signature_of


def _without_held_back(given: Balance, missing: pl.DataFrame) -> pl.DataFrame:
    """Without the places that stay with counterfeits, whoever might fill them.

    A place that is held back is mostly held back in later releases too: if chance were asked anew each
    time, a counterfeit that stands for months would tell that nobody could replace it.
    """
    cells, lacks = missing["cell"].to_numpy(), missing["lacks"].to_numpy()
    held = np.zeros(lacks.size, np.int64)
    known = given.remembered.signatures.height
    for number in range(int(lacks.max(initial=0))):
        is_held = _is_drawn(given.remembered.secret, f"held back/{number}", known)
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


def _repeat_signatures(given: Balance, signature_of: Codes) -> Groups:
    """Groups in which each value of a signature occurs once; counterfeits where nobody has it."""
    kept = np.flatnonzero(signature_of >= 0)
    cells = _cells(given, signature_of)
    numbers = cells.group_by("signature").agg(pl.col("needs").first()).sort("signature")
    numbers = numbers.with_columns(first=pl.col("needs").cum_sum() - pl.col("needs"))
    people = pl.DataFrame(
        {
            "row": kept,
            "signature": signature_of[kept],
            "code": given.codes[kept],
            "place": given.places[kept],
        }
    ).sort("signature", "code", "place", "row")
    cell = ["signature", "code"]
    people = people.join(numbers, on="signature", maintain_order="left").with_columns(
        at=pl.int_range(pl.len()).over(cell) * pl.col("needs") // pl.len().over(cell)
    )
    people = people.with_columns(group=pl.col("first") + pl.col("at"))
    all_places = cells.join(numbers.select("signature", "first"), on="signature").with_columns(
        at=pl.int_ranges("needs")
    )
    all_places = all_places.explode("at").with_columns(group=pl.col("first") + pl.col("at"))
    fakes = all_places.join(people, on=["group", "code"], how="anti").sort("group", "code")
    of_people = np.full(given.codes.size, -1, np.int32)
    of_people[people["row"].to_numpy()] = people["group"].to_numpy()
    return Groups(
        of_people,
        fakes["group"].cast(pl.Int32).to_numpy(),
        fakes["code"].cast(pl.Int32).to_numpy(),
        int(numbers["needs"].sum()),
    )


# whoever is new


def _group_new(given: Balance, rows: Codes) -> Groups:
    """Groups of close people with m or more different values; counterfeits where one is too frequent.

    Counterfeits of any values would show what is real: the most frequent one is in every group. So the
    m most frequent values become one signature, which all their people share, and whichever of
    them is the frequent one, the same is published.
    """
    of_people = np.full(given.codes.size, -1, np.int32)
    found = Groups(of_people, rows[:0], rows[:0], 0)
    while rows.size:
        counts = np.bincount(given.codes[rows], minlength=given.values)
        if counts.max() * given.m <= rows.size:
            return _joined(found, _group_close(given, rows))
        by_lot = given.key.permutation(f"frequent/{found.count}", given.values)
        frequent = np.lexsort((by_lot, -counts))[: given.m]
        shares = np.isin(given.codes[rows], frequent)
        found = _joined(found, _group_frequent(given, rows[shares], frequent))
        rows = rows[~shares]
    return found


def _group_close(given: Balance, rows: Codes) -> Groups:
    """Groups of close people of whom no value fills more than 1/m."""
    part = given.microdata.take(rows)
    near = Partitioner.parse("neighbours").divide(part, Diversity(given.m), given.key)
    group, count = _deal(near.group_of, given.codes[rows], given.m)
    of_people = np.full(given.codes.size, -1, np.int32)
    of_people[rows] = group
    return Groups(of_people, rows[:0], rows[:0], count)


def _group_frequent(given: Balance, rows: Codes, values: Places) -> Groups:
    """As many groups with these values as people have the most frequent of them."""
    signature_of = np.full(given.codes.size, -1, np.int32)
    signature_of[rows] = 0
    signatures = pl.DataFrame(
        {"signature": np.zeros(values.size, np.int32), "code": values.astype(np.int32)}
    )
    alone = replace(given, remembered=replace(given.remembered, signatures=signatures))
    return _repeat_signatures(alone, signature_of)


def _deal(group_of: Codes, codes: Codes, m: int) -> tuple[Codes, int]:
    """Groups in which no value occurs twice, from groups in which none fills more than 1/m.

    >>> group, count = _deal(np.zeros(5, np.int32), np.array([7, 7, 8, 8, 9]), 2)
    >>> group.tolist(), count
    ([0, 1, 0, 1, 0], 2)
    """
    order = np.lexsort((codes, group_of))
    sizes = np.bincount(group_of)
    parts = sizes // m
    inside = np.arange(codes.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = np.cumsum(parts) - parts
    dealt = np.empty(codes.size, np.int32)
    dealt[order] = np.repeat(first, sizes) + inside % np.repeat(parts, sizes)
    return dealt, int(parts.sum())


# whose value changed


def _place_changed(given: Balance, groups: Groups, first_new: int, rows: Places) -> Groups:
    """People whose value changed, where no signature was free for them.

    They join a new group of people without their value and without any that was possible for them
    before; where there is none, counterfeits stand beside them.
    """
    if rows.size == 0:
        return groups
    of_people = groups.of_people.copy()
    has_fakes = set(groups.of_fakes.tolist())
    members: dict[int, set[int]] = {
        number: set() for number in range(first_new, groups.count) if number not in has_fakes
    }
    for row in np.flatnonzero(np.isin(groups.of_people, list(members))).tolist():
        members[int(of_people[row])].add(int(given.codes[row]))
    count, of_fakes, fakes = groups.count, groups.of_fakes.tolist(), groups.fakes.tolist()
    is_known = np.bincount(given.codes, minlength=given.values) > 1
    is_known[given.remembered.signatures["code"].to_numpy()] = True
    stays_alone = given.drawn("changed people/alone", rows.size) & is_known[given.codes[rows]]
    for row, alone in zip(rows.tolist(), stays_alone, strict=True):
        code, barred = int(given.codes[row]), given.remembered.barred[row]
        fits = [g for g, v in members.items() if code not in v and not (v & barred)]
        if fits and not alone:
            found = fits[int(given.key.words(f"changed people/group {row}", 1)[0]) % len(fits)]
            of_people[row] = found
            del members[found]  # nobody else joins it: signatures stay small
            continue
        others = [v for v in range(given.values) if v != code and v not in barred]
        if len(others) < given.m - 1:
            refuse_changed(given.microdata, rows.size, given.m, len(others) + 1)
        chosen = given.key.permutation(f"counterfeits/changed {row}", len(others))[: given.m - 1]
        of_people[row] = count
        of_fakes += [count] * chosen.size
        fakes += [others[each] for each in chosen]
        count += 1
    return Groups(of_people, np.array(of_fakes, np.int32), np.array(fakes, np.int32), count)


def _along_a_curve(columns: list[Codes]) -> Places:
    """One number each row, from the bits of all columns in turn (Morton 1966)."""
    bits = max(1, min(10, BITS // len(columns)))
    found = np.zeros(columns[0].size, np.int64)
    ranks = [_evenly(codes, bits) for codes in columns[:BITS]]
    for bit in range(bits - 1, -1, -1):
        for each in ranks:
            found = found << 1 | each >> bit & 1
    return found


def _evenly(codes: Codes, bits: int) -> Places:
    """Codes as numbers of so many bits, about as many rows at each of them."""
    counts = np.bincount(codes)
    before = np.cumsum(counts) - counts
    return (before * (1 << bits) // max(1, codes.size))[codes]
