"""Promises that can be checked on what is published: one promise, one file."""

from anonagram.models.distinct_l_diversity import DistinctLDiversity
from anonagram.models.entropy_l_diversity import EntropyLDiversity
from anonagram.models.gamma_amplification import GammaAmplification
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.ke_anonymity import KeAnonymity
from anonagram.models.l_diversity import LDiversity
from anonagram.models.model import Finding, GroupModel, PrivacyModel
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.models.recursive_l_diversity import RecursiveLDiversity

__all__ = [
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Finding",
    "GammaAmplification",
    "GroupModel",
    "KAnonymity",
    "KeAnonymity",
    "LDiversity",
    "PrivacyModel",
    "ProbabilisticAnonymity",
    "RecursiveLDiversity",
]
