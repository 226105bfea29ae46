"""The audit of a masked table: what moved how far, and whether anybody can be found again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.attacks.aligned import Aligned, Attribute, Order
from anonagram.attacks.attack import AttackResult, Target, Verdict
from anonagram.attacks.audit_words import audit_summary
from anonagram.attacks.equal_values import EqualCells
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.asked import seconds_to_read, work_seconds
from anonagram.attacks.figures.equal_values import EqualValues
from anonagram.attacks.figures.likeliest import Likeliest
from anonagram.attacks.figures.linkage import Linkage
from anonagram.attacks.figures.subsets import Subset
from anonagram.attacks.figures.unmasked import Unmasked
from anonagram.attacks.likeliest_match import LikeliestMatch
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.near_copies import NearCopies
from anonagram.attacks.permuted_privacy import Viewer, permuted_privacy
from anonagram.attacks.results import AttackResults
from anonagram.attacks.sole_fit import SoleFit
from anonagram.attacks.unmasked_columns import UnmaskedColumns
from anonagram.columns.diversity import Criterion
from anonagram.columns.ranks import rank_correlation
from anonagram.errors import CallError
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
    """Of the original and the reverse-mapped values; None where a column does not vary, and like all
    that follows up to the noise where it is not known which rows belong together."""
    mean_distance: float | None
    """Between the ranks of a record and of its image."""
    median_distance: float | None
    largest_distance: float | None
    largest_distance_percent: float | None
    """Of the number of rows."""
    unmoved: float | None
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
    records: int
    """How many were looked at; a sample of many."""


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit finds."""

    shown_by = "audit"

    original: str
    masked: str
    rows: int
    masked_rows: int
    paired: int
    """How many people are known to be in both tables; 0 where nothing is known."""
    order: Order
    """How it is known which rows belong together."""
    attributes: tuple[AttributeAudit, ...]
    permuted_privacy: tuple[PermutedPrivacyAudit, ...]
    results: AttackResults
    """What each intruder found."""
    linkage: Linkage
    """What the intruder links who uses all attributes."""
    left_out: tuple[str, ...]
    """Columns that only one of the tables has."""
    probably_same: tuple[tuple[str, str], ...] = ()
    """Of these, what is probably one column under two names: the original's and the other's."""
    stood: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    """Where rows stood before they were brought into one order."""

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """What he links on fewer attributes; none where there are too few."""
        found = self.results.by(FewerAttributes)
        return () if found is None else found.figures

    @property
    def unmasked(self) -> Unmasked | None:
        """What columns tell that were not masked; None where it is not known which rows belong together."""
        found = self.results.by(UnmaskedColumns)
        return None if found is None else found.figures

    @property
    def equal_values(self) -> EqualValues | None:
        """What he links by equal values."""
        found = self.results.by(EqualCells)
        return None if found is None else found.figures

    @property
    def likeliest(self) -> Likeliest | None:
        """What he finds who knows how values were changed; None where there are too few to learn it."""
        found = self.results.by(LikeliestMatch)
        return None if found is None else found.figures

    @property
    def most_linked(self) -> AttackResult[Any]:
        """What the intruder found who finds most."""
        return max(self.results, key=lambda each: each.score - each.baseline)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all attacks; where rows cannot be told to belong together, never good."""
        worst = self.results.verdict
        if worst is Verdict.WITHSTANDS and not self.order.is_known:
            return Verdict.CANNOT_TELL
        return worst

    @property
    def withstands(self) -> bool:
        """Whether it was shown that the table withstands intruders who know the whole original."""
        return self.verdict is Verdict.WITHSTANDS

    def links(self) -> pl.DataFrame:
        """Every linked record's match, by the rows of the tables as they were read."""
        return self.linkage.table(self.stood)

    def summary(self) -> list[str]:
        """What it means, in plain words."""
        return audit_summary(self)

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram audit --json` prints."""
        most, linkage = self.most_linked, self.linkage
        return {
            "original": self.original,
            "masked": self.masked,
            "verdict": str(self.verdict),
            "withstands": self.withstands,
            "most_linked": {
                "attack": most.attack.call,
                "share": most.score,
                "by_chance": most.baseline,
            },
            "rows": self.rows,
            "masked_rows": self.masked_rows,
            "paired": self.paired,
            "order": str(self.order),
            "records": linkage.asked.size,
            "left_out": list(self.left_out),
            "probably_same": [{"original": one, "masked": two} for one, two in self.probably_same],
            "attributes": [asdict(each) for each in self.attributes],
            "permuted_privacy": [asdict(each) for each in self.permuted_privacy],
            "linkage": _told_of_linkage(linkage) if self.order.is_known else None,
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
            "unmasked": self.unmasked
            and {"columns": self.unmasked.columns, "identified": self.unmasked.identified},
            "unchanged": self.unmasked
            and self.unmasked.unchanged
            and asdict(self.unmasked.unchanged),
            "equal_values": self.equal_values
            and {
                "records": self.equal_values.records,
                "correct": self.equal_values.correct,
                "wrong": self.equal_values.wrong,
            },
            "likeliest": self.likeliest and _told_of_likeliest(self.likeliest),
            "hellinger": linkage.hellinger,
            "advantage": linkage.advantage,
            "p_value": linkage.p_value,
            "tolerance": linkage.tolerance,
            "attacks": [each.to_dict() for each in self.results],
            "summary": self.summary(),
        }


def _told_of_linkage(linkage: Linkage) -> dict[str, Any]:
    return {
        "correct": linkage.correct,
        "multiple": linkage.multiple,
        "wrong": linkage.wrong,
        "correct_by_chance": linkage.by_chance,
        "share": linkage.share.value,
        "share_range": linkage.share.range,
        "too_near": linkage.too_near,
        "too_near_correct": linkage.too_near_correct,
    }


def _told_of_likeliest(found: Likeliest) -> dict[str, Any]:
    return {
        "records": found.asked.size,
        "share": found.share.value,
        "share_range": found.share.range,
        "surest": {"matches": found.surest.claims, "right": found.surest.right},
    }


def audit(
    pair: Aligned, attack: MaximumKnowledge | None = None, criterion: Criterion = "variance"
) -> Audit:
    """Audit a masked table against its original.

    >>> pair = Aligned.read({"a": [1, 2, 3, 4]}, {"a": [2, 1, 4, 3]}, in_order=True)
    >>> found = audit(pair)
    >>> found.attributes[0].rank_correlation, found.attributes[0].largest_distance, found.withstands
    (0.6, 1.0, True)
    >>> str(audit(Aligned.read({"a": [1, 2, 3, 4]}, {"a": [2, 1, 4, 3]})).verdict)  # in what order?
    'cannot tell'
    """
    if not isinstance(pair, Aligned):
        raise CallError(
            f"A {type(pair).__name__} is no pair of tables.",
            "audit(Aligned.read(original, masked)).",
        )
    attack = attack or MaximumKnowledge()
    results = attack_pair(pair, attack)
    known = results.by(MaximumKnowledge)
    linkage = attack.link(pair) if known is None else known.figures
    step("Measuring attributes")
    attributes = tuple(
        _audit_attribute(
            each, pair.paired, linkage.match_distance[j], linkage.random_match_distance[j]
        )
        for j, each in enumerate(pair.attributes)
    )
    views: tuple[Viewer, ...] = ("protector", "subject") if pair.paired else ("subject",)
    permuted = tuple(_audit_privacy(pair, view, criterion, linkage.asked) for view in views)
    return Audit(
        *pair.labels, pair.rows, pair.masked_rows, pair.paired, pair.order, attributes, permuted,
        results, linkage, pair.left_out, pair.probably_same, pair.stood,
    )  # fmt: skip


def audit_seconds(pair: Aligned, attack: MaximumKnowledge, read: float = 0.0) -> float:
    """How many seconds of a processor an audit takes at most, about, with those that reading took.

    Told from how many cells and records are compared; where reading took longer than it does on a
    computer of today, all that comes after it will too.
    """
    size = max(pair.rows, pair.masked_rows), len(pair.attributes)
    usual = seconds_to_read(*size)
    slower = max(1.0, read / usual)
    return read + slower * work_seconds(*size, attack.records)


def attack_pair(pair: Aligned, attack: MaximumKnowledge) -> AttackResults:
    """Let all intruders try who know the original; those who find people most plainly come first."""
    records, tolerance = attack.records, attack.tolerance
    if not pair.order.is_known:
        return AttackResults.of((NearCopies(records), SoleFit(records)), Target(pair=pair))
    attacks = (
        UnmaskedColumns(),
        EqualCells(records, tolerance),
        LikeliestMatch(records, tolerance),
        attack,
        FewerAttributes(attack.random_records, tolerance, records),
    )
    return AttackResults.of(attacks, Target(pair=pair))


def _audit_attribute(
    attribute: Attribute, paired: int, match: float, random_match: float
) -> AttributeAudit:
    unknown = AttributeAudit(
        attribute.name, attribute.ranking, None, None, None, None, None, None, None, None,
        float(match), float(random_match),
    )  # fmt: skip
    if not paired:
        return unknown
    original, masked = attribute.original.values[:paired], attribute.masked.values[:paired]
    ranks, mapped = attribute.original.ranks[:paired], attribute.mapped_ranks[:paired]
    away = np.abs(ranks - mapped) / 2
    noise = residual = None
    if attribute.is_number:
        noise = _noise(masked, original)
        residual = _noise(masked, attribute.original.places[attribute.mapped[:paired]])
    return replace(
        unknown,
        rank_correlation=rank_correlation(ranks, mapped),
        mean_distance=float(away.mean()),
        median_distance=float(np.median(away)),
        largest_distance=float(away.max()),
        largest_distance_percent=float(100 * away.max() / attribute.original.codes.size),
        unmoved=float((away == 0).mean()),
        noise=noise,
        residual_noise=residual,
    )


def _noise(one: Any, two: Any) -> NoiseSize | None:
    """Over rows in which neither value is missing."""
    there = np.isfinite(one) & np.isfinite(two)
    if not there.any():
        return None
    away = one[there] - two[there]
    return NoiseSize(float(np.abs(away).mean()), float(away.std()))


def _audit_privacy(
    pair: Aligned, view: Viewer, criterion: Criterion, asked: NDArray[np.int64]
) -> PermutedPrivacyAudit:
    found = permuted_privacy(pair, view, criterion, asked)
    names = [each.name for each in pair.attributes]
    return PermutedPrivacyAudit(
        view,
        criterion,
        dict(zip(names, found.largest_d.tolist(), strict=True)),
        dict(zip(names, found.largest_v.tolist(), strict=True)),
        dict(zip(names, np.median(found.d, axis=0).tolist(), strict=True)),
        len(asked),
    )
