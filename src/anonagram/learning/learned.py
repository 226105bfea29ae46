"""The intruder's model, fitted to a release alone (Kifer 2009, the deFinetti attack).

He starts from what each group says by itself: every value of it as likely for each of its rows. From
that he counts how often attributes and values are expected together in the whole release, which is a
naive Bayes model; with it some rows of a group fit a value better than others; and so on. Inside a
group every row has one value and every value its count: chances are those over all matchings, summed
exactly where a group is small, else approximated by scaling rows and columns to fit (Sinkhorn).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.encoding import dictionary
from anonagram.columns.recoding import at_codes
from anonagram.errors import CallError
from anonagram.kernels.states import MOST_STATES
from anonagram.learning.guesses import Matched
from anonagram.prediction.features import Features
from anonagram.prediction.logistic import Logistic
from anonagram.runtime.threads import in_threads, thread_count

if TYPE_CHECKING:
    from anonagram.release import WithGroups

Learner: TypeAlias = Literal["naive_bayes", "logistic", "logistic_after"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)
ROUNDS = 20
LOGISTIC_ROUNDS = range(8, 101)
LOGISTIC_STEPS = 1_000_000
"""People whom a logistic model looks at, one after the other, if that takes rounds as above."""
MANY = 200_000
"""Rows of which most rounds are quick."""
QUICK_STATES = 64
"""Groups of more are scaled in quick rounds."""
EXACT_ROUNDS = 2
"""The last ones, whatever their number."""
SETTLED = 0.05
"""Logarithms that all change by less: a sample, which tells two digits, needs no more quick rounds."""
FIRST_PASSES = 3
"""Of a logistic model before anybody is matched by it."""
LARGE = 256
"""A group of which a sample would have so many rows is sampled itself; values of so many are scaled."""
SHARE = 100_000
"""Chances that a thread of its own is worth."""
SMOOTHING = 1.0
"""People added to every cell, so that nothing unseen is impossible."""


@dataclass
class Tables:
    """What a fitted model says of every row: the sum over its attributes, for each value."""

    features: Features
    """In the order of rows by group."""
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Learned:
    """For each row of a release the chances of its group's values."""

    domain: pl.Series
    """The sensitive values; a code behind the last stands for a missing one."""
    order: NDArray[np.int64]
    """The rows of the published table by group, as which everything else stands."""
    starts: NDArray[np.int64]
    """Where the rows of each group begin."""
    value_starts: NDArray[np.int64]
    """Where the values of each group begin."""
    values: NDArray[np.int32]
    counts: NDArray[np.float64]
    blocks: NDArray[np.int64]
    """Where the chances of each group begin: a chance for each row and each of its values."""
    chances: NDArray[np.float64]
    model: Tables
    """The model that the chances come from."""

    def about(self, columns: list[pl.Series]) -> Learned:
        """The same with these columns of the published table as attributes."""
        columns = [at_codes(column, self.order.astype(np.int32)) for column in columns]
        features = Features.of(columns, len(self.domain) + 1)
        chances, nothing = np.empty_like(self.chances), np.empty((0, 0))
        return replace(self, chances=chances, model=Tables(features, nothing))

    def likeliest(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """For each row, in the published table's order, the code he would guess and his belief."""
        from anonagram.kernels.learn import find_likeliest

        guess, belief = np.empty(self.order.size, np.int32), np.empty(self.order.size)
        find_likeliest(
            self.starts, self.value_starts, self.values, self.blocks, self.chances, guess, belief
        )
        back = np.argsort(self.order, kind="stable")
        return guess[back], belief[back]

    def draw(self, random: np.random.Generator) -> NDArray[np.int32]:
        """The code of a value for each row, by group: one matching of each group, as likely as it is."""
        from anonagram.kernels.matchings import draw_matchings

        state = random.integers(0, 2**63, 1, dtype=np.uint64)
        drawn = np.empty(self.order.size, np.int32)
        draw_matchings(
            self.model.features.codes, self.model.features.offsets, self.starts, self.value_starts,
            self.values, self.counts, self.model.scores, state, drawn,
        )  # fmt: skip
        return drawn

    def matched(self, codes: NDArray[np.int32]) -> Matched:
        """The chances of every row, its values as the codes that stand for those of the domain."""
        return Matched(
            self.order,
            self.starts,
            self.value_starts,
            codes[self.values],
            self.blocks,
            self.chances,
        )


def learn(
    release: WithGroups,
    attribute: str,
    most_rows: int | None = None,
    learner: Learner = "naive_bayes",
) -> Learned:
    """Fit a model to a release whose rows stand as they are beside counts of a sensitive column.

    "logistic" begins with what each group says by itself, "logistic_after" with what naive Bayes
    has found: which of them learns more depends on how groups were made.

    With `most_rows` to a sample of about so many rows: the first groups, as groups are numbered at
    random, and of groups that are large by themselves some rows each.

    >>> from anonagram import Anatomy, Key, Microdata
    >>> table = {"sex": ["F", "M"] * 30, "disease": ["a", "b", "c"] * 20}
    >>> data = Microdata.read(table, {"sex": "quasi", "disease": "sensitive"})
    >>> learned = learn(Anatomy(l=3).anonymize(data, Key(bytes(32))), "disease")
    >>> learned.domain.to_list(), learned.starts.size
    (['a', 'b', 'c'], 21)
    """
    if not release.has_whole_rows:
        raise CallError(
            f"A {release.shape} release publishes no exact rows to learn from.",
            "take a release of anatomy or ke.",
        )
    group = release.manifest.layout["group"]
    quasi, counted = release.tables["quasi"], release.sensitive_counts()[attribute]
    rows = np.arange(quasi.height)
    if most_rows is not None and quasi.height > most_rows:
        rows, counted = _sample(quasi[group].to_numpy(), counted, most_rows / quasi.height)
        quasi = quasi[rows]
    names = release.manifest.named("quasi")
    learned = unlearned(quasi[group], counted, rows).about(
        [release.tables["quasi"][name] for name in names]
    )
    if learner != "logistic":
        fit_naive_bayes(learned)
    if learner != "naive_bayes":
        _fit_logistic(learned, begin=learner == "logistic")
    return learned


def unlearned(groups: pl.Series, counted: pl.DataFrame, rows: NDArray[np.int64]) -> Learned:
    """Rows and the values of their groups, before anything is known of them."""
    counted = counted.sort("group", "value", maintain_order=True)
    codes, domain = dictionary(counted["value"])
    order = groups.arg_sort().to_numpy().astype(np.int64)
    starts, value_starts = _starts(groups), _starts(counted["group"])
    blocks = np.concatenate([[0], np.cumsum(np.diff(starts) * np.diff(value_starts))])
    return Learned(
        domain, rows[order], starts, value_starts, codes,
        counted["count"].cast(pl.Float64).to_numpy(), blocks, np.empty(int(blocks[-1])),
        Tables(Features.of([], len(domain) + 1), np.empty((0, 0))),
    )  # fmt: skip


def _sample(
    groups: NDArray[np.int32], counted: pl.DataFrame, share: float
) -> tuple[NDArray[np.int64], pl.DataFrame]:
    """A share of the rows, whole groups where that can be, and the counts of their values.

    A large group would be most of the sample or none of it: of its rows, which stand in random order,
    the first ones are taken, and of its counts the same share.
    """
    sizes = np.bincount(groups)
    kept = np.where(sizes * share >= LARGE, np.round(sizes * share).astype(np.int64), sizes)
    small = np.cumsum(np.where(kept == sizes, sizes, 0))
    kept[(kept == sizes) & (small - sizes >= small[-1] * share)] = 0
    rows = np.flatnonzero(kept[groups])
    rows = rows[np.argsort(groups[rows], kind="stable")]
    found = np.bincount(groups[rows], minlength=sizes.size)
    inside = np.arange(rows.size) - np.repeat(np.cumsum(found) - found, found)
    rows = np.sort(rows[inside < kept[groups[rows]]])
    counted = counted.filter(pl.Series(kept[counted["group"].to_numpy()] > 0))
    numbers = counted["group"].to_numpy()
    return rows, counted.with_columns(pl.col("count") * (kept[numbers] / sizes[numbers]))


def learn_all(release: WithGroups, attribute: str) -> Iterator[Learned]:
    """What each learner learns, one after the other; who has seen one is done with it at the next.

    "logistic_after" goes on from what naive Bayes has found, which need not be found again.
    """
    naive = learn(release, attribute)
    yield naive
    yield learn(release, attribute, learner="logistic")
    _fit_logistic(naive, begin=False)
    yield naive


def _starts(groups: pl.Series) -> NDArray[np.int64]:
    """Where each group begins among sorted numbers of groups."""
    sizes = groups.value_counts().sort(groups.name)["count"].to_numpy()
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _fit_logistic(learned: Learned, *, begin: bool) -> None:
    """The same with a logistic model of attributes and pairs of them."""
    from anonagram.kernels.learn import even_chances

    classes = len(learned.domain) + 1
    model = Logistic.of(learned.model.features.with_pairs(classes), classes)
    if begin:
        even_chances(*_places(learned), learned.counts, learned.blocks, learned.chances)
    learned.model.features, learned.model.scores = model.features, model.tables
    rounds = LOGISTIC_STEPS // learned.order.size
    rounds = min(max(rounds, LOGISTIC_ROUNDS[0]), LOGISTIC_ROUNDS[-1])
    for number in range(rounds):
        for _ in range(1 if number else FIRST_PASSES):
            model.fit(*_places(learned), learned.values, learned.blocks, learned.chances)
        _match(learned, _states(rounds - number, learned.order.size > MANY))


def fit_naive_bayes(learned: Learned, *, quick: bool = False) -> None:
    """Learn and match in turn; the chances are changed in place.

    Quick: as with many rows, and no longer than something is learned.
    """
    from anonagram.kernels.learn import even_chances

    even_chances(*_places(learned), learned.counts, learned.blocks, learned.chances)
    left, before = ROUNDS, None
    while left:
        scores = _count_logarithms(learned)
        if quick and before is not None and np.abs(scores - before).max() < SETTLED:
            left = min(left, EXACT_ROUNDS)
        learned.model.scores = before = scores
        _match(learned, _states(left, quick or learned.order.size > MANY))
        left -= 1


def _count_logarithms(learned: Learned) -> NDArray[np.float64]:
    """What naive Bayes makes of the chances by now."""
    from anonagram.kernels.learn import as_logarithms, count_expected

    features = learned.model.features
    tables = np.zeros((int(features.offsets[-1]), len(learned.domain) + 1))
    count_expected(
        features.codes, features.offsets, *_places(learned), learned.values, learned.blocks,
        learned.chances, tables,
    )  # fmt: skip
    as_logarithms(tables, features.offsets, SMOOTHING)
    return tables


def _states(left: int, quick: bool) -> int:
    """How many states a group may have that is summed exactly, with so many rounds left.

    Quick ones are exact only at last where that takes longer than scaling: what is learned before
    comes to much the same, and what is believed in the end is exact.
    """
    return QUICK_STATES if quick and left > EXACT_ROUNDS else MOST_STATES


def _places(learned: Learned) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return learned.starts, learned.value_starts


def _match(learned: Learned, states: int) -> None:
    """Chances as the model has them by now."""
    from anonagram.kernels.learn import match_groups

    features, scores = learned.model.features, learned.model.scores

    def match(first: int, end: int) -> None:
        run = slice(first, end + 1)
        match_groups(
            features.codes, features.offsets, learned.starts[run], learned.value_starts[run],
            learned.values, learned.counts, learned.blocks[first:end], scores, states,
            learned.chances,
        )  # fmt: skip

    in_threads(match, pairwise(_shares(learned.blocks)))


def _shares(blocks: NDArray[np.int64]) -> list[int]:
    """Groups as shares of about as many chances each: where they begin, and the end."""
    shares = min(int(blocks[-1]) // SHARE, thread_count()) or 1
    ends = np.searchsorted(blocks, np.linspace(0, blocks[-1], shares + 1))
    return [int(each) for each in ends]
