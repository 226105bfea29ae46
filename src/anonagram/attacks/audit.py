"""The audit of a masked table: what moved how far, and whether anybody can be found again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.maximum_knowledge import Linkage, MaximumKnowledge
from anonagram.attacks.permuted_privacy import View, permuted_privacy
from anonagram.columns.diversity import Criterion
from anonagram.columns.ranks import rank_correlation
from anonagram.errors import InternalError
from anonagram.runtime.progress import step

SAME = 0.999
HARDLY = 0.95
HARDLY_AT_ALL = 0.1
MANY = 100


@dataclass(frozen=True)
class Noise:
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
    noise: Noise | None
    """Masked minus original values; None for values that are no numbers."""
    residual_noise: Noise | None
    """Masked minus reverse-mapped values: what masking did beyond permuting."""
    match_distance: float
    """Between the ranks of a record and of the one the intruder takes for its image."""
    random_match_distance: float
    """The same for records made up at random."""


@dataclass(frozen=True)
class PermutedPrivacyAudit:
    """The strictest (d,v,f)-permuted privacy that every record has, an attribute each."""

    view: View
    criterion: Criterion
    d: dict[str, float]
    v: dict[str, float]
    median_d: dict[str, float]
    """What half of the records have."""


@dataclass(frozen=True)
class Audit:
    """What an audit finds."""

    original: str
    masked: str
    rows: int
    attributes: tuple[AttributeAudit, ...]
    permuted_privacy: tuple[PermutedPrivacyAudit, ...]
    linkage: Linkage
    left_out: tuple[str, ...]
    """Columns that only one of the tables has."""

    @property
    def withstands(self) -> bool:
        """Whether the table withstands an intruder who knows the whole original."""
        return self.linkage.withstands

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram audit --json` prints."""
        linkage = self.linkage
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
            "subsets": [asdict(each) for each in linkage.subsets],
            "unmasked": asdict(linkage.unmasked),
            "equal_values": asdict(linkage.equal_values),
            "hellinger": linkage.hellinger,
            "advantage": linkage.advantage,
            "p_value": linkage.p_value,
            "tolerance": linkage.tolerance,
            "withstands": self.withstands,
            "summary": self.summary(),
        }

    def summary(self) -> list[str]:
        """What it means, in plain words."""
        return [*self._told_of_attributes(), *self._told_of_linkage(), self._verdict()]

    def _told_of_attributes(self) -> list[str]:
        told = []
        if self.left_out:
            told.append(f"Only one of the tables has, and so left out: {', '.join(self.left_out)}.")
        if self.rows >= MANY and all(
            abs(a.rank_correlation or 0) < HARDLY_AT_ALL for a in self.attributes
        ):
            told.append(
                "In no column is a record related to its image. If rows may stand in another order, "
                "match them by a column that identifies them: --id NAME."
            )
        same = [a.name for a in self.attributes if a.unmoved > SAME]
        if same:
            told.append(f"Not masked at all, in ranks: {', '.join(same)}.")
        hardly = [
            a.name
            for a in self.attributes
            if a.name not in same and a.rank_correlation is not None and a.rank_correlation > HARDLY
        ]
        if hardly:
            told.append(
                f"Hardly rearranged (rank correlation above {HARDLY}): {', '.join(hardly)}."
            )
        return told

    def _told_of_linkage(self) -> list[str]:
        found, rows = self.linkage, self.rows
        told = [
            f"Who knows the whole original links {found.correct:,} of {rows:,} records to their "
            f"own image ({found.correct / rows:.1%}), {found.wrong:,} to somebody else's, and has "
            f"several candidates for {found.multiple:,}. Blind guesses would get about "
            f"{found.by_chance:.1f} right.",
            f"Within {found.original.quantile(0.5):g} ranks half of the records find a match; half "
            f"of the records made up at random within {found.random.quantile(0.5):g}.",
        ]
        if found.too_near:
            told.append(
                f"The matches of {found.too_near:,} records are nearer than those of records made up "
                f"at random would be; of these {found.too_near_correct:,} are right."
            )
        return told

    def _advice(self) -> str:
        still = self.linkage.unmasked.columns
        return f" Mask {', '.join(still)} too." if still else " Rearrange more."

    def _verdict(self) -> str:
        if self.withstands:
            return f"It withstands the attack: {self._why_not_linked()}"
        return f"It does NOT withstand the attack: {self._why_linked()}"

    def _why_linked(self) -> str:
        found = self.linkage
        if found.is_identified:
            return (
                f"{found.unmasked.identified:.1%} of the people are alone with their values in "
                f"columns that are as they were ({', '.join(found.unmasked.columns)}). Mask those too."
            )
        if found.has_equal_values:
            equal = found.equal_values
            return (
                f"{equal.correct / equal.records:.1%} of the records share several values "
                "with their own image and with no other as many. Mask every cell."
            )
        if found.looks_linked and found.is_linked:
            return (
                f"{_points(found.advantage)}, and matches are right more often than by chance."
                f"{self._advice()}"
            )
        if found.is_linked and found.is_mostly_right:
            return (
                f"{found.correct / self.rows:.1%} of the records are linked to their own image, most "
                f"of all that have a single match.{self._advice()}"
            )
        if found.is_linked:
            return (
                f"the matches of {found.too_near:,} records are too near to be random, and "
                f"{found.too_near_correct:,} of them are right.{self._advice()}"
            )
        part = found.linked_on
        if part is None:
            raise InternalError("An audit failed for no reason.")
        return (
            f"on {', '.join(part.columns)} alone {_points(part.advantage)}, and "
            f"{part.correct / part.records:.1%} of the records are linked to their own image. "
            "Rearrange those more."
        )

    def _why_not_linked(self) -> str:
        found = self.linkage
        if found.looks_linked:
            return (
                f"{_points(found.advantage)}, as happens where columns go together, but matches are "
                "right no more often than by chance."
            )
        if found.advantage > found.tolerance:
            return (
                f"among {self.rows:,} records a difference of {found.advantage:.0%} from records "
                "made up at random may be chance."
            )
        return (
            "records are practically no nearer to their matches than records made up at random "
            f"(difference {found.advantage:.1%}), so he cannot tell his right matches "
            f"({found.correct / self.rows:.1%} of the records) from the others."
        )


def _points(advantage: float) -> str:
    return (
        f"the share of records with a near match is {100 * advantage:.0f} points higher than among "
        "random ones"
    )


def audit(
    pair: Aligned, attack: MaximumKnowledge | None = None, criterion: Criterion = "variance"
) -> Audit:
    """Audit a masked table against its original.

    >>> found = audit(Aligned.read({"a": [1, 2, 3, 4]}, {"a": [2, 1, 4, 3]}))
    >>> found.attributes[0].rank_correlation, found.attributes[0].largest_distance, found.withstands
    (0.6, 1.0, True)
    """
    linkage = (attack or MaximumKnowledge()).run(pair)
    step("Measuring attributes")
    attributes = tuple(
        _audit_attribute(each, linkage.match_distance[j], linkage.random_match_distance[j])
        for j, each in enumerate(pair.attributes)
    )
    views: tuple[View, ...] = ("protector", "subject")
    permuted = tuple(_audit_privacy(pair, view, criterion) for view in views)
    return Audit(*pair.labels, pair.rows, attributes, permuted, linkage, pair.left_out)


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


def _noise(one: Any, two: Any) -> Noise | None:
    """Over rows in which neither value is missing."""
    there = np.isfinite(one) & np.isfinite(two)
    if not there.any():
        return None
    away = one[there] - two[there]
    return Noise(float(np.abs(away).mean()), float(away.std()))


def _audit_privacy(pair: Aligned, view: View, criterion: Criterion) -> PermutedPrivacyAudit:
    found = permuted_privacy(pair, view, criterion)
    names = [each.name for each in pair.attributes]
    return PermutedPrivacyAudit(
        view,
        criterion,
        dict(zip(names, found.largest_d.tolist(), strict=True)),
        dict(zip(names, found.largest_v.tolist(), strict=True)),
        dict(zip(names, np.median(found.d, axis=0).tolist(), strict=True)),
    )
