"""What an intruder can find out: one intruder, one file; and the audit that lets him try."""

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.attack import Attack, AttackResult, Target, Verdict
from anonagram.attacks.audit import AttributeAudit, Audit, audit
from anonagram.attacks.distances import Distances, binned
from anonagram.attacks.equal_values import EqualCells
from anonagram.attacks.fewer_attributes import FewerAttributes
from anonagram.attacks.figures.equal_values import EqualValues
from anonagram.attacks.figures.intersection import Intersection, Narrowed, intersect
from anonagram.attacks.figures.linkage import Linkage
from anonagram.attacks.figures.subsets import Subset
from anonagram.attacks.figures.unmasked import Unmasked
from anonagram.attacks.maximum_knowledge import MaximumKnowledge
from anonagram.attacks.permuted_privacy import PermutedPrivacy, permuted_privacy
from anonagram.attacks.results import AttackResults
from anonagram.attacks.several_releases import SeveralReleases
from anonagram.attacks.tuning import Trial, Tuning, tune
from anonagram.attacks.unmasked_columns import UnmaskedColumns

__all__ = [
    "Aligned",
    "Attack",
    "AttackResult",
    "AttackResults",
    "Attribute",
    "AttributeAudit",
    "Audit",
    "Distances",
    "EqualCells",
    "EqualValues",
    "FewerAttributes",
    "Intersection",
    "Linkage",
    "MaximumKnowledge",
    "Narrowed",
    "PermutedPrivacy",
    "SeveralReleases",
    "Subset",
    "Target",
    "Trial",
    "Tuning",
    "Unmasked",
    "UnmaskedColumns",
    "Verdict",
    "audit",
    "binned",
    "intersect",
    "permuted_privacy",
    "tune",
]
