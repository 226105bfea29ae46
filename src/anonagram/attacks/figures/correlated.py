"""What somebody guesses who knows, from elsewhere, how values go with quasi-identifiers.

His model is naive Bayes, as the learner's, but learned on people: each fold of them on the others, so
that nobody's own value is in what is believed of her.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonagram.attacks.figures.group_values import GroupValues
from anonagram.attacks.figures.guesses import ColumnGuesses, most_in_group
from anonagram.attacks.figures.told_entries import Floats, ToldEntries, sample_of
from anonagram.kernels.believe import believe_values
from anonagram.kernels.learn import match_groups
from anonagram.kernels.states import MOST_STATES
from anonagram.key import PUBLIC
from anonagram.learning import Guesses, Matched, alike_codes, alike_kinds, guess_near
from anonagram.microdata import Column, Microdata
from anonagram.prediction.features import Features
from anonagram.release import GroupedRelease
from anonagram.release.group_index import GroupIndex

FOLDS = 2
SMOOTHING = 1.0
"""People added to every cell, so that nothing unseen is impossible."""
WORK = 500_000_000
"""People times groups that are compared; of more people a sample is guessed."""
MOST_BELIEFS = 20_000_000
"""People times values."""
MATCHING = 50_000_000
"""Rows times ways to use values up, over all groups; where it is more a sample of people is guessed."""
Places = NDArray[np.int64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Model:
    """Logarithms of P(attribute's value | sensitive value), a table for each fold of people."""

    offsets: NDArray[np.int64]
    """Where each attribute's part begins; every fold has a part of it."""
    tables: Floats
    priors: Floats
    """How frequent each value is among the people of all other folds."""

    @classmethod
    def of(cls, features: Features, fold: Places, codes: Codes, values: int) -> Self:
        """Learn each fold's model on the people of all others."""
        sizes = np.diff(features.offsets)
        tables = []
        for j, size in enumerate(sizes):
            cell = features.codes[:, j].astype(np.int64) * values + codes
            for each in range(FOLDS):
                others = np.bincount(cell[fold != each], minlength=int(size) * values)
                counts = others.reshape(-1, values) + SMOOTHING
                tables.append(np.log(counts / counts.sum(axis=0)))
        offsets = np.concatenate([[0], np.cumsum(sizes * FOLDS)]).astype(np.int64)
        priors = [np.bincount(codes[fold != each], minlength=values) for each in range(FOLDS)]
        return cls(offsets, np.concatenate(tables), np.stack(priors).astype(np.float64))

    def places(self, features: Features, fold: Places) -> Codes:
        """Codes of people of a fold in this model's tables."""
        sizes = np.diff(self.offsets) // FOLDS
        return np.asarray(features.codes + fold[:, None] * sizes, np.int32)

    def likelihoods(self, places: Codes) -> Floats:
        """For each person how likely her attributes are with each value, up to a factor."""
        likely = np.zeros((len(places), self.tables.shape[1]))
        for j in range(places.shape[1]):
            likely += self.tables[self.offsets[j] + places[:, j]]
        return np.asarray(np.exp(likely - likely.max(axis=1, keepdims=True)))


def guess_correlated(release: GroupedRelease, original: Microdata, name: str) -> ColumnGuesses:
    """Guess a column of everybody, or of a sample of many."""
    truth = original.column(name)
    kinds = alike_kinds(release, original) if release.has_whole_rows else None
    people = _kinds_of(original) if kinds is None else kinds[1]
    fold, values = _folds(people), len(truth.domain) + 1
    columns = original.with_role("quasi")
    features = Features.of_columns(columns, values)
    model = Model.of(features, fold, truth.codes, values)
    places = model.places(features, fold)
    if kinds is None:
        learned, asked = weigh(
            release, original, truth, lambda some: model.likelihoods(places[some])
        )
    else:
        learned, asked = _match(release, truth, model, places, kinds)
    alone = model.likelihoods(places[asked]) * model.priors[fold[asked]]
    without = Guesses.of_beliefs(alone, truth.codes[asked])
    near = guess_near(original, truth, asked)
    return ColumnGuesses(name, (learned,), (without, *near), most_in_group(release, name), asked)


def _match(
    release: GroupedRelease,
    truth: Column,
    model: Model,
    places: Codes,
    kinds: tuple[Places, Places],
) -> tuple[Guesses, Places]:
    """Rows stand as they are: over all matchings of a group's rows with its values."""
    rows_like, people = kinds
    groups = _values_of(release, truth)
    asked = _sample_alike(people, _affordable(groups))
    group_of = GroupIndex.of(release.tables["quasi"][release.manifest.layout["group"]]).group_of
    order, starts, groups = _with_people(kinds, asked, group_of, groups)
    somebody = np.zeros(int(people.max()) + 1, np.int64)
    somebody[people] = np.arange(people.size)  # anybody with the same quasi-identifiers
    blocks = np.concatenate([[0], np.cumsum(np.diff(starts) * np.diff(groups.starts))])
    chances = np.empty(int(blocks[-1]))
    match_groups(
        places[somebody[rows_like[order]]], model.offsets, starts, groups.starts,
        groups.codes, groups.counts.astype(np.float64), blocks, model.tables, MOST_STATES, chances,
    )  # fmt: skip
    matched = Matched(order, starts, groups.starts, groups.codes, blocks, chances)
    return Guesses.of_matched(matched, (rows_like, people[asked]), truth.codes[asked]), asked


def _kinds_of(original: Microdata) -> Places:
    """For each person a number that those share who have the same quasi-identifiers."""
    return alike_codes([column.codes for column in original.with_role("quasi")])


def _affordable(groups: GroupValues) -> int:
    """How many people can be looked for, each of whom needs at least one group matched."""
    ways = 2.0 ** np.minimum(np.diff(groups.starts), 10)
    work = float((groups.sizes * ways).sum())
    return groups.rows if work <= MATCHING else max(int(groups.sizes.size * MATCHING / work), 100)


def _sample_alike(kinds: Places, most: int) -> Places:
    """People who look alike are asked for together or not at all: all their rows must be matched."""
    if kinds.size <= most:
        return np.arange(kinds.size)
    sizes = np.bincount(kinds)
    order = PUBLIC.permutation("people alike", sizes.size)
    taken = order[np.cumsum(sizes[order]) <= most]
    return np.flatnonzero(np.isin(kinds, taken))


def _with_people(
    kinds: tuple[Places, Places], asked: Places, group_of: Codes, groups: GroupValues
) -> tuple[Places, Places, GroupValues]:
    """The groups that hold rows like those of some people: their rows by group, and their values."""
    rows_like, people = kinds
    is_asked = np.zeros(int(max(rows_like.max(), people.max())) + 1, np.bool_)
    is_asked[people[asked]] = True
    kept = np.zeros(groups.sizes.size, np.bool_)
    kept[group_of[is_asked[rows_like]]] = True
    rows = np.flatnonzero(kept[group_of])
    order = rows[np.argsort(group_of[rows], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(groups.sizes[kept])]).astype(np.int64)
    number, there = (np.cumsum(kept) - 1).astype(np.int32), kept[groups.group_of]
    left = GroupValues(
        groups.column, groups.domain, number[groups.group_of[there]], groups.codes[there],
        groups.counts[there],
    )  # fmt: skip
    return order, starts, left


def weigh(
    release: GroupedRelease,
    original: Microdata,
    truth: Column,
    likelihoods: Callable[[Places], Floats],
) -> tuple[Guesses, Places]:
    """Rows are nobody's: every group that can be hers, her own attributes against others' at large.

    likelihoods: of some people, how likely their attributes are with each value. Of a group with c rows
    of a value she has it with a chance that is proportional to c times that: the others of the group are
    taken for anybody.
    """
    told = ToldEntries.of(release, original)
    values = len(truth.domain) + 1
    asked = sample_of(original.rows, min(WORK // told.sizes.size, MOST_BELIEFS // values))
    beliefs, groups = np.zeros((asked.size, values)), _values_of(release, truth)
    believe_values(
        told.records(asked), *told.by_first(), told.starts, told.low, told.high, told.counts, told.sizes,
        told.is_moved, groups.starts, groups.codes, groups.counts, beliefs,
    )  # fmt: skip
    beliefs *= likelihoods(asked)
    return Guesses.of_beliefs(beliefs, truth.codes[asked]), asked


def _values_of(release: GroupedRelease, truth: Column) -> GroupValues:
    """The groups' values in the original's codes."""
    (groups,) = (each for each in GroupValues.all_of(release) if each.column == truth.name)
    codes = truth.codes_of(groups.domain.extend_constant(None, 1))
    return GroupValues(
        truth.name, truth.domain, groups.group_of, codes[groups.codes], groups.counts
    )


def _folds(kinds: Places) -> Places:
    """People who look alike are in the same fold, so that a row's model knows none of them."""
    drawn = np.random.default_rng(0).integers(0, FOLDS, int(kinds.max()) + 1)
    return np.asarray(drawn[kinds])
