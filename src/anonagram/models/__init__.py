"""Promises that can be checked on what is published: one promise, one file."""

from anonagram.models.distinct_l_diversity import DistinctLDiversity
from anonagram.models.entropy_l_diversity import EntropyLDiversity
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.ke_anonymity import KeAnonymity
from anonagram.models.l_diversity import LDiversity
from anonagram.models.model import Finding, PrivacyModel
from anonagram.models.recursive_l_diversity import RecursiveLDiversity

__all__ = [
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Finding",
    "KAnonymity",
    "KeAnonymity",
    "LDiversity",
    "PrivacyModel",
    "RecursiveLDiversity",
]
