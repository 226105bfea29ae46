"""What an intruder can find out: one intruder, one file; and the audit that lets him try."""

from anonagram.attacks.aligned import Aligned, Attribute
from anonagram.attacks.audit import AttributeAudit, Audit, audit
from anonagram.attacks.distances import Distances, binned
from anonagram.attacks.intersection import Intersection, Narrowed, intersect
from anonagram.attacks.maximum_knowledge import Linkage, MaximumKnowledge, Subset, Unmasked
from anonagram.attacks.permuted_privacy import PermutedPrivacy, permuted_privacy
from anonagram.attacks.tuning import Trial, Tuning, tune

__all__ = [
    "Aligned",
    "Attribute",
    "AttributeAudit",
    "Audit",
    "Distances",
    "Intersection",
    "Linkage",
    "MaximumKnowledge",
    "Narrowed",
    "PermutedPrivacy",
    "Subset",
    "Trial",
    "Tuning",
    "Unmasked",
    "audit",
    "binned",
    "intersect",
    "permuted_privacy",
    "tune",
]
