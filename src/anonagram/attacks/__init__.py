"""What an intruder can find out: one intruder, one file; and the audit that lets him try."""

from anonagram.attacks.aligned import Aligned, Attribute, Order
from anonagram.attacks.attack import Attack, AttackResult, OfColumn, Target, Verdict
from anonagram.attacks.audit import AttributeAudit, Audit, audit, audit_seconds
from anonagram.attacks.defence import Defence, defend_release
from anonagram.attacks.distances import Distances, binned
from anonagram.attacks.equal_values import EqualCells
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.asked import EVERYBODY
from anonagram.attacks.figures.equal_values import EqualValues
from anonagram.attacks.figures.intersection import Intersection, Narrowed, intersect
from anonagram.attacks.figures.likeliest import Likeliest
from anonagram.attacks.figures.linkage import Linkage
from anonagram.attacks.figures.shares import Share
from anonagram.attacks.figures.subsets import Subset
from anonagram.attacks.figures.unmasked import Unmasked
from anonagram.attacks.likeliest_match import LikeliestMatch
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.near_copies import NearCopies
from anonagram.attacks.permuted_privacy import PermutedPrivacy, permuted_privacy
from anonagram.attacks.results import AttackResults
from anonagram.attacks.several_releases import SeveralReleases
from anonagram.attacks.sole_fit import SoleFit
from anonagram.attacks.tuning import Trial, Tuning, read_tunable, tune, tune_seconds
from anonagram.attacks.unmasked_columns import UnmaskedColumns

__all__ = [
    "EVERYBODY",
    "Aligned",
    "Attack",
    "AttackResult",
    "AttackResults",
    "Attribute",
    "AttributeAudit",
    "Audit",
    "Defence",
    "Distances",
    "EqualCells",
    "EqualValues",
    "FewerAttributes",
    "Intersection",
    "Likeliest",
    "LikeliestMatch",
    "Linkage",
    "MaximumKnowledge",
    "Narrowed",
    "NearCopies",
    "OfColumn",
    "Order",
    "PermutedPrivacy",
    "SeveralReleases",
    "Share",
    "SoleFit",
    "Subset",
    "Target",
    "Trial",
    "Tuning",
    "Unmasked",
    "UnmaskedColumns",
    "Verdict",
    "audit",
    "audit_seconds",
    "binned",
    "defend_release",
    "intersect",
    "permuted_privacy",
    "read_tunable",
    "tune",
    "tune_seconds",
]
