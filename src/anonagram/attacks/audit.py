"""The audit of a masked table: what moved how far, and whether anybody can be found again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.attack import Target, Verdict
from anonagram.attacks.audit_words import audit_summary
from anonagram.attacks.equal_values import EqualCells
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.equal_values import EqualValues
from anonagram.attacks.figures.linkage import Linkage
from anonagram.attacks.figures.subsets import Subset
from anonagram.attacks.figures.unmasked import Unmasked
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.permuted_privacy import Viewer, permuted_privacy
from anonagram.attacks.results import AttackResults, tried_by
from anonagram.attacks.unmasked_columns import UnmaskedColumns
from anonagram.columns.diversity import Criterion
from anonagram.columns.ranks import rank_correlation
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown


@dataclass(frozen=True)
class NoiseSize:
    """What is between two columns of numbers, in their own unit."""

    mean_absolute: float
    standard_deviation: float


@dataclass(frozen=True)
class AttributeAudit:
    """One attribute: permutation, residual noise, and how near matches come."""

    name: str
    ranking: str
    """What its ranks go by: value, order, hierarchy or frequency."""
    rank_correlation: float | None
    """Of the original and the reverse-mapped values; None where a column does not vary."""
    mean_distance: float
    """Between the ranks of a record and of its image."""
    median_distance: float
    largest_distance: float
    largest_distance_percent: float
    """Of the number of rows."""
    unmoved: float
    """The share of records whose image has the same value."""
    noise: NoiseSize | None
    """Masked minus original values; None for values that are no numbers."""
    residual_noise: NoiseSize | None
    """Masked minus reverse-mapped values: what masking did beyond permuting."""
    match_distance: float
    """Between the ranks of a record and of the one the intruder takes for its image."""
    random_match_distance: float
    """The same for records made up at random."""


@dataclass(frozen=True)
class PermutedPrivacyAudit:
    """The strictest (d,v,f)-permuted privacy that every record has, an attribute each."""

    view: Viewer
    criterion: Criterion
    d: dict[str, float]
    v: dict[str, float]
    median_d: dict[str, float]
    """What half of the records have."""


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit finds."""

    shown_by = "audit"

    original: str
    masked: str
    rows: int
    attributes: tuple[AttributeAudit, ...]
    permuted_privacy: tuple[PermutedPrivacyAudit, ...]
    results: AttackResults
    """What each intruder found."""
    left_out: tuple[str, ...]
    """Columns that only one of the tables has."""

    @property
    def linkage(self) -> Linkage:
        """What the intruder links who uses all attributes."""
        return tried_by(self.results, MaximumKnowledge).figures

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """What he links on fewer attributes; none where there are too few."""
        found = self.results.by(FewerAttributes)
        return () if found is None else found.figures

    @property
    def unmasked(self) -> Unmasked:
        """What columns tell that were not masked."""
        return tried_by(self.results, UnmaskedColumns).figures

    @property
    def equal_values(self) -> EqualValues:
        """What he links by equal values."""
        return tried_by(self.results, EqualCells).figures

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all attacks."""
        return self.results.verdict

    @property
    def withstands(self) -> bool:
        """Whether it was shown that the table withstands intruders who know the whole original."""
        return self.verdict is Verdict.WITHSTANDS

    def summary(self) -> list[str]:
        """What it means, in plain words."""
        return audit_summary(self)

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram audit --json` prints."""
        linkage, equal = self.linkage, self.equal_values
        return {
            "original": self.original,
            "masked": self.masked,
            "rows": self.rows,
            "left_out": list(self.left_out),
            "attributes": [asdict(each) for each in self.attributes],
            "permuted_privacy": [asdict(each) for each in self.permuted_privacy],
            "linkage": {
                "correct": linkage.correct,
                "multiple": linkage.multiple,
                "wrong": linkage.wrong,
                "correct_by_chance": linkage.by_chance,
                "too_near": linkage.too_near,
                "too_near_correct": linkage.too_near_correct,
            },
            "distance_distribution": {
                "original": {f"{d:g}": share for d, share in linkage.original.shares.items()},
                "random": {f"{d:g}": share for d, share in linkage.random.shares.items()},
            },
            "subsets": [
                {
                    "columns": each.columns,
                    "records": each.records,
                    "correct": each.correct,
                    "advantage": each.advantage,
                    "withstands": each.withstands,
                }
                for each in self.subsets
            ],
            "unmasked": {
                "columns": self.unmasked.columns,
                "identified": self.unmasked.identified,
            },
            "equal_values": {
                "records": equal.records,
                "correct": equal.correct,
                "wrong": equal.wrong,
                "copies": equal.copies,
            },
            "hellinger": linkage.hellinger,
            "advantage": linkage.advantage,
            "p_value": linkage.p_value,
            "tolerance": linkage.tolerance,
            "attacks": [each.to_dict() for each in self.results],
            "verdict": str(self.verdict),
            "withstands": self.withstands,
            "summary": self.summary(),
        }


def audit(
    pair: Aligned, attack: MaximumKnowledge | None = None, criterion: Criterion = "variance"
) -> Audit:
    """Audit a masked table against its original.

    >>> found = audit(Aligned.read({"a": [1, 2, 3, 4]}, {"a": [2, 1, 4, 3]}))
    >>> found.attributes[0].rank_correlation, found.attributes[0].largest_distance, found.withstands
    (0.6, 1.0, True)
    """
    results = attack_pair(pair, attack or MaximumKnowledge())
    linkage = tried_by(results, MaximumKnowledge).figures
    step("Measuring attributes")
    attributes = tuple(
        _audit_attribute(each, linkage.match_distance[j], linkage.random_match_distance[j])
        for j, each in enumerate(pair.attributes)
    )
    views: tuple[Viewer, ...] = ("protector", "subject")
    permuted = tuple(_audit_privacy(pair, view, criterion) for view in views)
    return Audit(*pair.labels, pair.rows, attributes, permuted, results, pair.left_out)


def attack_pair(pair: Aligned, attack: MaximumKnowledge) -> AttackResults:
    """Let all intruders try who know the original; those who find people most plainly come first."""
    fewer = FewerAttributes(attack.random_records, attack.tolerance)
    return AttackResults.of((UnmaskedColumns(), EqualCells(), attack, fewer), Target(pair=pair))


def _audit_attribute(attribute: Attribute, match: float, random_match: float) -> AttributeAudit:
    ranks, mapped = attribute.original.ranks, attribute.mapped_ranks
    away = np.abs(ranks - mapped) / 2
    noise = residual = None
    if attribute.is_number:
        noise = _noise(attribute.masked.values, attribute.original.values)
        residual = _noise(attribute.masked.values, attribute.original.places[attribute.mapped])
    return AttributeAudit(
        name=attribute.name,
        ranking=attribute.ranking,
        rank_correlation=rank_correlation(ranks, mapped),
        mean_distance=float(away.mean()),
        median_distance=float(np.median(away)),
        largest_distance=float(away.max()),
        largest_distance_percent=float(100 * away.max() / away.size),
        unmoved=float((away == 0).mean()),
        noise=noise,
        residual_noise=residual,
        match_distance=float(match),
        random_match_distance=float(random_match),
    )


def _noise(one: Any, two: Any) -> NoiseSize | None:
    """Over rows in which neither value is missing."""
    there = np.isfinite(one) & np.isfinite(two)
    if not there.any():
        return None
    away = one[there] - two[there]
    return NoiseSize(float(np.abs(away).mean()), float(away.std()))


def _audit_privacy(pair: Aligned, view: Viewer, criterion: Criterion) -> PermutedPrivacyAudit:
    found = permuted_privacy(pair, view, criterion)
    names = [each.name for each in pair.attributes]
    return PermutedPrivacyAudit(
        view,
        criterion,
        dict(zip(names, found.largest_d.tolist(), strict=True)),
        dict(zip(names, found.largest_v.tolist(), strict=True)),
        dict(zip(names, np.median(found.d, axis=0).tolist(), strict=True)),
    )
