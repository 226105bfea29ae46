"""Groups of people who are new to a series, or count as new since their value changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.methods.balanced import Balance, Codes, Groups, Places, joined, repeat_signatures
from anonagram.methods.remembered import refuse_changed
from anonagram.partition import Diversity, Partitioner


def group_new(given: Balance, rows: Codes) -> Groups:
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
            return joined(found, _group_close(given, rows))
        by_lot = given.key.permutation(f"frequent/{found.count}/by lot", given.values)
        frequent = np.lexsort((by_lot, -counts))[: given.m]
        shares = np.isin(given.codes[rows], frequent)
        purpose = f"frequent/{found.count}"
        found = joined(found, _group_frequent(given, rows[shares], frequent, purpose))
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


def _group_frequent(given: Balance, rows: Codes, values: Places, purpose: str) -> Groups:
    """As many groups with these values as people have the most frequent of them."""
    signature_of = np.full(given.codes.size, -1, np.int32)
    signature_of[rows] = 0
    signatures = pl.DataFrame(
        {"signature": np.zeros(values.size, np.int32), "code": values.astype(np.int32)}
    )
    alone = replace(given, remembered=replace(given.remembered, signatures=signatures))
    return repeat_signatures(alone, signature_of, purpose)


def _with_likely(
    given: Balance, values: Places, purpose: str, allowed: NDArray[np.bool_] | None = None
) -> Places:
    """These values and as many others as make m, or all there are: each as likely as if it were real.

    Drawn evenly from all values most would be rare, and it would be plain that the frequent one beside
    them is somebody's. So people are thought to stand in a circle by their values, somebody with the
    first value is drawn, and those who stand the m-th parts of the circle from her have the others.
    Whichever of the m is taken for the real one, the same is drawn as often.
    """
    order = given.key.permutation(f"{purpose}/circle", given.values)
    may = np.ones(given.values, np.bool_) if allowed is None else allowed.copy()
    may[values] = True
    upto = np.cumsum((np.bincount(given.codes, minlength=given.values) * may)[order])
    at = int(np.flatnonzero(order == values[0])[0])
    before = int(upto[at - 1]) if at else 0
    word = int(given.key.words(f"{purpose}/place", 1)[0])
    drawn = before + (word * (int(upto[at]) - before) >> 32)
    places = (drawn + upto[-1] * np.arange(1, given.m) // given.m) % upto[-1]
    likely = order[np.searchsorted(upto, places, side="right")]
    every = np.concatenate([values, likely, order[may[order]]])
    _, first = np.unique(every, return_index=True)
    return every[np.sort(first)][: given.m]


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


def place_changed(given: Balance, groups: Groups, first_new: int, rows: Places) -> Groups:
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
        allowed = np.ones(given.values, np.bool_)
        allowed[list(barred)] = False
        signature = _with_likely(given, np.array([code]), f"changed people/beside {row}", allowed)
        if signature.size < given.m:
            refuse_changed(given.microdata, rows.size, given.m, signature.size)
        of_people[row] = count
        of_fakes += [count] * (given.m - 1)
        fakes += signature[1:].tolist()
        count += 1
    return Groups(of_people, np.array(of_fakes, np.int32), np.array(fakes, np.int32), count)
