"""What a person can find out about how well a release hides her."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonagram.columns.diversity import diversity
from anonagram.columns.nearest import Records, has_few_combinations, random_records
from anonagram.errors import InputError
from anonagram.key import PUBLIC
from anonagram.microdata import MISSING_TEXT
from anonagram.release import PublishedColumn, Release
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown
from anonagram.verify.candidates import ROUNDING, Candidates, find_candidates
from anonagram.verify.fit import Fit, fit_of
from anonagram.verify.record import (
    Sought,
    by_labels,
    refuse_misspelt,
    sought_in,
    texts_of,
    values_like,
)
from anonagram.verify.view import View, ViewColumn, view_of
from anonagram.verify.words import summary_of, surer_told

RANDOM_RECORDS = 10_000
FEWEST_RECORDS = 1_000
CELLS_COMPARED = 10**9
"""Of a large or wide table fewer random records are looked for, so that a page takes a second."""
IMPLAUSIBLE = 0.05
"""Where fewer random records have a match as near, it may well be no random one."""
MOST_SHOWN = 10
LEAST_COLUMNS = 2
"""On one column every record has a match at distance 0."""


@dataclass(frozen=True)
class Likely:
    """A value of a sensitive column, and what somebody who knows her would believe of it."""

    value: str | None
    """None for a missing value."""
    probability: float
    before: float
    """Its share in the whole table: what he would believe without looking for her."""

    @property
    def times(self) -> float:
        """How many times as likely it became."""
        return self.probability / self.before if self.before else 0.0


@dataclass(frozen=True)
class Belief:
    """About one sensitive column."""

    attribute: str
    likeliest: tuple[Likely, ...]
    possible: int
    """How many different values are possible."""
    own: Likely | None
    """Her true value, where she gave it."""
    between: tuple[str, str] | None = None
    """Of amounts and dates: the least and the greatest that is possible."""
    of_all: tuple[str, str] | None = None
    """The same of the whole table."""


@dataclass(frozen=True)
class Distance:
    """Her permutation distance, as she sees it (Domingo-Ferrer and Muralidhar 2016, Algorithm 3)."""

    record: float
    """The largest difference of ranks to the nearest released record."""
    d: dict[str, float]
    """Of each column, to one of the nearest records."""
    v: dict[str, float]
    """How different the released values within that distance are: their variance, or their number
    for values that are no numbers."""
    matches: int
    """How many records are that near."""
    plausible: float
    """The chance that a record made up at random has a match as near."""

    @property
    def is_plausible(self) -> bool:
        """Whether such a match may well be random, so that nobody can claim it is she."""
        return self.plausible >= IMPLAUSIBLE


@dataclass(frozen=True)
class Verification(Shown):
    """What a release tells somebody who looks for a person in it."""

    shown_by = "verification"

    method: str
    shape: str
    rows: int
    known: dict[str, str | None]
    """What is assumed to be known about her."""
    read_as: dict[str, str]
    """What of it is published in other words: a date of another form, a value that became coarser."""
    ignored: tuple[str, ...]
    """What she gave that the release does not have."""
    unknown: tuple[str, ...]
    """Columns in which no published value is the one she gave, though it should be there."""
    candidate_rows: int
    candidate_groups: int | None
    untrue: tuple[str, ...]
    """Sensitive columns with changed values, of which nothing exact can be believed."""
    beliefs: tuple[Belief, ...]
    distance: Distance | None
    open_rows: int | None = None
    """Where rows stand as they are: how many have exactly what is known about her."""
    fit: Fit | None = None
    """Where columns were permuted: what it says that a group fits her."""
    also_open: tuple[str, ...] = ()
    """What else these rows show."""
    left_out: int = 0
    """Rows of the original that the release does not have, so that anybody's may be one of them."""
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For values that nobody has: published ones that may be meant, or the ends of a scale."""
    surer: str = field(default="", repr=False)
    """Who may be surer than is told here, in a sentence."""
    about: Mapping[str, PublishedColumn] = field(default_factory=dict, repr=False)
    """What columns and their values are called."""

    @property
    def is_found(self) -> bool:
        """Whether anything in the release can be hers."""
        return self.candidate_rows > 0

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram verify --json` prints, and what the page in a bundle computes."""
        content = asdict(self)
        for name in ("candidate_rows", "candidate_groups", "surer", "about"):
            del content[name]
        content["candidates"] = {"rows": self.candidate_rows, "groups": self.candidate_groups}
        if self.distance is not None:
            content["distance"]["is_plausible"] = self.distance.is_plausible
        if self.fit is not None:
            content["fit"]["is_telling"] = self.fit.is_telling
        content["summary"] = self.summary()
        return content

    def summary(self) -> list[str]:
        """What it means for her, in plain words."""
        return summary_of(self)

    def title(self, name: str) -> str:
        """A column as people read it."""
        return self.about[name].title if name in self.about else name

    def told(self, name: str, value: str | None) -> str:
        """A value of a column as people read it."""
        if value is None:
            return MISSING_TEXT
        return self.about[name].told(value) if name in self.about else value

    def quoted(self, name: str, value: str | None) -> str:
        """The same inside a sentence."""
        return "a missing value" if value is None else f"“{self.told(name, value)}”"


def verify(release: Release, record: Mapping[str, Any]) -> Verification:
    """What somebody who knows a person would find about her in a release.

    Values of sensitive columns in the record are hers to compare with; all others are taken to be
    known. Nothing but the release is needed.

    >>> from anonagram import Anatomy, Microdata
    >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> found = verify(Anatomy(l=4).anonymize(data), {"age": 30, "pay": 20})
    >>> found.candidate_rows, found.beliefs[0].own
    (4, Likely(value='20', probability=0.25, before=0.25))
    """
    step("Looking at the release")
    return verify_in(view_of(release), record)


def verify_in(view: View, record: Mapping[str, Any]) -> Verification:
    """The same for a view, which can be used for many people."""
    texts = by_labels(view, texts_of(record))
    refuse_misspelt(view, list(texts))
    ignored = tuple(name for name in texts if name not in view.columns)
    given = {name: text for name, text in texts.items() if name in view.columns}
    values = {name: sought_in(view.columns[name], text) for name, text in given.items()}
    usable = [name for name in view.known if name in given]
    if not usable:
        raise InputError(
            "Nothing is given that somebody may know about a person.",
            f"give some of: {', '.join(view.known)}.",
        )
    step("Looking for the person")
    known = {name: values[name] for name in usable}
    candidates = find_candidates(view, known)
    manifest = view.release.manifest
    unknown = tuple(n for n in usable if view.keeps_values(n) and values[n].code < 0)
    strange = [*unknown, *(n for n in view.sensitive if n in values and values[n].code < 0)]
    return Verification(
        method=manifest.method,
        shape=view.release.shape,
        rows=manifest.rows.published,
        known={name: given[name] for name in usable},
        read_as=_read_as(view, given, known),
        ignored=ignored,
        unknown=unknown,
        candidate_rows=candidates.rows,
        candidate_groups=candidates.groups,
        untrue=tuple(name for name in view.sensitive if not view.is_true(name)),
        beliefs=tuple(
            _belief(view, name, candidates, values.get(name))
            for name in view.sensitive
            if view.is_true(name) and candidates.rows
        ),
        distance=_distance(view, known) if candidates.rows else None,
        fit=fit_of(view, known) if candidates.rows else None,
        open_rows=_open_rows(view, known),
        also_open=tuple(
            name for name in view.known if name not in known and view.release.has_whole_rows
        ),
        left_out=manifest.rows.suppressed,
        instead={name: values_like(view.columns[name], given[name] or "") for name in strange},
        surer=surer_told(view.release),
        about={column.name: column for column in manifest.columns},
    )


def _read_as(
    view: View, given: Mapping[str, str | None], known: Mapping[str, Sought]
) -> dict[str, str]:
    """The published values that were found for values written otherwise."""
    texts = {name: view.columns[name].texts for name in known}
    found = {n: texts[n][s.code] for n, s in known.items() if 0 <= s.code < len(texts[n])}
    return {name: text for name, text in found.items() if text != given[name]}


def _open_rows(view: View, known: Mapping[str, Sought]) -> int | None:
    """How many rows have exactly what is known, in shapes whose rows stand as they are."""
    if not view.release.has_whole_rows:
        return None
    matches = [view.people[name] == sought.code for name, sought in known.items()]
    return int(np.logical_and.reduce(matches).sum())


def _belief(view: View, name: str, candidates: Candidates, own: Sought | None) -> Belief:
    """The mean of what candidates tell about a sensitive column, by how likely each of them is."""
    column = view.columns[name]
    size = len(column.domain) + 1
    chances = candidates.weights / candidates.weights.sum()
    if name in view.counts:
        told = view.counts[name]
        each = chances[told.group] * told.count / view.sizes[told.group]
        believed = np.bincount(told.code, each, size).astype(np.float64)
        whole = np.bincount(told.code, weights=told.count, minlength=size)
    else:
        published = np.bincount(view.people[name], chances, size).astype(np.float64)
        believed = _moved_back(view, name, published)
        whole = np.bincount(view.people[name], minlength=size).astype(np.float64)
    before = whole / whole.sum()

    def likely(code: int) -> Likely:
        value = None if code == len(column.domain) else column.texts[code]
        return Likely(value, float(believed[code]), float(before[code]))

    order = np.lexsort((np.arange(size), -np.round(believed, 12)))
    shown = [int(code) for code in order[:MOST_SHOWN] if believed[code] > 0]
    own_likely = None
    if own is not None:
        own_likely = likely(own.code) if own.code >= 0 else Likely(None, 0.0, 0.0)
    possible = int((believed > 0).sum())
    values = tuple(likely(code) for code in shown)
    return Belief(name, values, possible, own_likely, *_between(column, believed, whole))


def _between(column: ViewColumn, *weights: NDArray[Any]) -> list[tuple[str, str] | None]:
    """The least and the greatest value with any weight; None where values have no distances."""
    if not column.is_measured:
        return [None for _ in weights]
    found = [np.flatnonzero(each[: len(column.domain)] > 0) for each in weights]
    return [(column.texts[i[0]], column.texts[i[-1]]) if i.size else None for i in found]


def _moved_back(view: View, name: str, published: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is believed about a value, where the published ones stand for others.

    A value that can have moved within a window came from one of those in it, each as likely as it
    is frequent; one that can have come from anywhere tells nothing, unless it took no part.
    """
    masking = view.release.masked.get(name)
    if masking is None:
        return published
    column = view.ranked(name)
    counts = column.counts.astype(np.float64)
    if masking.within is None:
        return np.asarray(masking.kept * published + (1 - masking.kept) * counts / counts.sum())
    furthest = 2 * masking.within * counts.sum() * (1 + ROUNDING)
    first = np.searchsorted(column.middles, column.middles - furthest)
    last = np.searchsorted(column.middles, column.middles + furthest, side="right")
    running = np.concatenate([[0.0], np.cumsum(counts)])
    there = np.flatnonzero(published > 0)
    share = published[there] / (running[last] - running[first])[there]
    steps = np.zeros(counts.size + 1)
    np.add.at(steps, first[there], share)
    np.add.at(steps, last[there], -share)
    believed = np.cumsum(steps)[:-1] * counts
    # adding and taking away again leaves traces where nothing is possible
    covered = np.zeros(counts.size + 1, np.int64)
    np.add.at(covered, first[there], 1)
    np.add.at(covered, last[there], -1)
    return np.where(np.cumsum(covered)[:-1] > 0, believed, 0.0)


def _distance(view: View, known: Mapping[str, Sought]) -> Distance | None:
    """How many ranks the nearest record is away, in shapes whose rows are records of their own."""
    # a value without a place among the others has no rank
    names = [n for n in distance_columns(view) if n in known and not np.isnan(known[n].place)]
    if len(names) < LEAST_COLUMNS:
        return None
    ranked = [view.ranked(name) for name in names]
    ranks = np.column_stack([column.ranks for column in ranked])
    wanted = np.array(
        [
            column.middles[int(column.closest(np.array([known[name].place]))[0])]
            for name, column in zip(names, ranked, strict=True)
        ]
    )
    away = np.abs(ranks - wanted)
    furthest = away.max(axis=1)
    record = int(np.argmin(furthest))
    twice = int(furthest[record])
    random, is_sample = random_distances(ranks)
    v = [
        diversity(
            column,
            wanted[j : j + 1],
            away[record, j : j + 1],
            "variance" if view.columns[name].is_measured else "distinct",
        )
        for j, (name, column) in enumerate(zip(names, ranked, strict=True))
    ]
    return Distance(
        record=twice / 2,
        d={name: float(away[record, j] / 2) for j, name in enumerate(names)},
        v={name: float(v[j][0]) for j, name in enumerate(names)},
        matches=int((furthest == twice).sum()),
        plausible=float((np.sum(random <= twice) + is_sample) / (random.size + is_sample)),
    )


def distance_columns(view: View) -> list[str]:
    """The columns over which a distance of records makes sense: those whose values moved or changed."""
    return [name for name in view.known if view.release.how_told(name).is_apart]


def random_distances(ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """Twice the distance at which random records find a match, and whether they are a sample."""
    affordable = CELLS_COMPARED // max(ranks.size, 1)
    count = min(max(affordable, FEWEST_RECORDS), RANDOM_RECORDS)
    made_up = random_records(ranks, count, PUBLIC)
    return Records(ranks).distances(made_up), not has_few_combinations(ranks)
