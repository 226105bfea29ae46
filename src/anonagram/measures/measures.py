"""All measures of one release together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonagram.errors import CallError
from anonagram.learning import foretell, rank_all
from anonagram.measures.guessing import row_guesses
from anonagram.measures.masked import MaskedMeasures, measure_masked
from anonagram.measures.measured import Measured, detail_lost
from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import row_posteriors, tuple_posteriors, weighted
from anonagram.measures.presence import presence
from anonagram.measures.ranges import Ranges, range_lengths
from anonagram.measures.reconstruction import Reconstruction, reconstruction
from anonagram.measures.spread import Spread, Weighted, spread
from anonagram.measures.support import LengthError, errors_by_length
from anonagram.microdata import Microdata
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.l_diversity import LDiversity
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.profile.given_away import given_away_of
from anonagram.release import GroupedRelease, Release


@dataclass(frozen=True)
class Measures(Measured):
    """What was measured on one release."""

    shown_by = "measures"

    groups: int
    group_sizes: Spread
    posterior: Spread | None
    """Over rows: the probability of a row's own sensitive value (the headline), if there is any."""
    tuple_posterior: Spread | None
    """Over rows: Theorem 1's probability of rebuilding the whole tuple of a permuted release."""
    sensitive_ranges: dict[str, Ranges]
    """For sensitive numbers: the ranges of groups."""
    ncp: Ncp
    presence: Spread | None
    """Over rows: δ; needs the private mapping."""
    reconstruction: Reconstruction | None
    """Needs the private mapping, and one sensitive column."""


@dataclass(frozen=True)
class GroupFigures:
    """What the groups of a release, or of a part of one, add to its measures."""

    rows: int
    sizes: Weighted
    posteriors: Weighted | None
    tuples: Weighted | None
    ranges: dict[str, Weighted]
    ncp: Ncp

    @classmethod
    def of(cls, release: GroupedRelease) -> Self:
        """Look at the groups as they are published."""
        return cls(
            release.manifest.rows.published,
            Weighted.once(release.group_sizes()["rows"].to_numpy()),
            weighted(row_posteriors(release)),
            weighted(tuple_posteriors(release)),
            range_lengths(release),
            Ncp.of(release),
        )

    @classmethod
    def joined(cls, several: Sequence[GroupFigures]) -> Self:
        """Those of all groups of parts that share none."""

        def both(told: Iterable[Weighted | None]) -> Weighted | None:
            known = [each for each in told if each is not None]
            return Weighted.joined(known) if known else None

        return cls(
            sum(each.rows for each in several),
            Weighted.joined([each.sizes for each in several]),
            both(each.posteriors for each in several),
            both(each.tuples for each in several),
            {n: Weighted.joined([each.ranges[n] for each in several]) for n in several[0].ranges},
            Ncp.joined([(each.ncp, each.rows) for each in several]),
        )

    def told(self, method: str) -> Measures:
        """The measures for which no original is needed."""
        return Measures(
            method=method,
            rows=self.rows,
            groups=int(self.sizes.weights.sum()),
            group_sizes=self.sizes.spread,
            posterior=None if self.posteriors is None else self.posteriors.spread,
            tuple_posterior=None if self.tuples is None else self.tuples.spread,
            sensitive_ranges={name: Ranges.of(each) for name, each in self.ranges.items()},
            ncp=self.ncp,
            presence=None,
            reconstruction=None,
        )


def measure_release(
    release: GroupedRelease, microdata: Microdata, group_of: NDArray[np.int32] | None
) -> Measures:
    """Measure a release; group_of, the group of every original row, is what only a protector has."""
    measures = GroupFigures.of(release).told(release.manifest.method)
    delta = None if group_of is None else presence(microdata, release, group_of)
    return replace(
        measures,
        presence=None if delta is None else spread(delta, np.ones(delta.size)),
        reconstruction=_reconstruct(release, microdata, group_of, delta),
    )


@dataclass(frozen=True)
class OwnMeasures(Measured):
    """Figures that only the shape of a release has."""

    shown_by = "own_measures"

    figures: dict[str, float]


@dataclass(frozen=True)
class PerturbedMeasures(Measured):
    """What was measured on a release with replaced values."""

    shown_by = "perturbed_measures"

    probabilistic_anonymity: float
    gamma_amplification: float
    """The largest of any published row."""
    worst_guess: float | None
    """The best guess of any row's origin by somebody who knows the joint distribution (eq 6)."""
    guess: Spread | None
    """Over rows: that probability."""
    guess_bound: Spread | None
    """Over rows: Proposition 10's bound of it, corrected."""
    supports: tuple[LengthError, ...]
    """How far counts of combinations are off when the rows are read as they stand."""


def measure_perturbed(release: Release, microdata: Microdata) -> PerturbedMeasures:
    """Measure a release with replaced values against its original."""
    replaced = release.replaced
    if replaced is None:
        raise CallError(
            f"No value of a {release.shape} release was replaced.",
            "anonagram measure finds what fits.",
        )
    guesses = row_guesses(replaced, microdata)
    ones = np.ones(release.manifest.rows.published)
    return PerturbedMeasures(
        method=release.manifest.method,
        rows=release.manifest.rows.published,
        probabilistic_anonymity=ProbabilisticAnonymity(1).check(release).achieved,
        gamma_amplification=GammaAmplification(1).check(release).achieved,
        worst_guess=None if guesses is None else float(guesses.probability.max()),
        guess=None if guesses is None else spread(guesses.probability, ones),
        guess_bound=None if guesses is None else spread(guesses.bound, ones),
        supports=errors_by_length(microdata, replaced.transition),
    )


AnyMeasures: TypeAlias = Measures | PerturbedMeasures | MaskedMeasures | OwnMeasures
Told = TypeVar("Told", bound=Measured)


def measure(
    release: Release, microdata: Microdata, group_of: NDArray[np.int32] | None = None
) -> AnyMeasures:
    """Compare a release of any shape with the table it was made from.

    >>> from anonagram import Anatomy
    >>> table = {"age": [20, 30, 40, 50], "pay": [10, 20, 30, 40]}
    >>> data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    >>> measure(Anatomy(l=4).anonymize(data), data).posterior.most
    0.25
    """
    measured = with_original(_measure(release, microdata, group_of), microdata, microdata)
    return replace(measured, ranked=tuple(rank_all(release, microdata, group_of)))


def with_original(measured: Told, columns: Microdata, sample: Microdata) -> Told:
    """With what the original alone tells: of its columns, and of some of its rows."""
    return replace(
        measured,
        detail_lost=detail_lost(columns),
        foretold=tuple(foretell(sample)),
        given_away=tuple(given_away_of(sample)),
    )


def _measure(
    release: Release, microdata: Microdata, group_of: NDArray[np.int32] | None
) -> AnyMeasures:
    own = release.compare(microdata)
    if own is not None:
        return OwnMeasures(release.manifest.method, microdata.rows, own)
    if release.grouped is not None:
        return measure_release(release.grouped, microdata, group_of)
    if release.replaced is not None:
        return measure_perturbed(release, microdata)
    if release.people is not None:
        return measure_masked(release, microdata)
    raise CallError(
        f"Nothing says how a {release.shape} release is compared with its original: it has neither "
        "groups nor rows of people.",
        f"give {type(release).__name__} a method compare().",
    )


def _reconstruct(
    release: GroupedRelease,
    microdata: Microdata,
    group_of: NDArray[np.int32] | None,
    delta: NDArray[np.float64] | None,
) -> Reconstruction | None:
    sensitive = microdata.with_role("sensitive")
    if group_of is None or delta is None or len(sensitive) != 1:
        return None
    if release.has_whole_rows:
        # exact rows: the density of a row is spread over its group's values only
        delta = 1 / np.bincount(group_of)[group_of]
    l = LDiversity(l=1).check(release).achieved
    return reconstruction(sensitive[0], group_of, delta, l)
