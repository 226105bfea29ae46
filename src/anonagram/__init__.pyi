# The public names, grouped by who needs them: the one list, which type checkers and __init__.py read.

__version__: str

# everybody
from anonagram.errors import AnonagramError as AnonagramError
from anonagram.release.release import Release as Release

# the protector: the table
from anonagram.columns.hierarchy import Hierarchy as Hierarchy
from anonagram.key import Key as Key
from anonagram.microdata import Microdata as Microdata
from anonagram.schema import Schema as Schema

# the protector: how it is published
from anonagram.methods.method import Method as Method
from anonagram.methods.publication import Publication as Publication
from anonagram.methods.anatomy import Anatomy as Anatomy
from anonagram.methods.data_swapping import DataSwapping as DataSwapping
from anonagram.methods.generalize import Generalize as Generalize
from anonagram.methods.ke import Ke as Ke
from anonagram.methods.microaggregation import Microaggregation as Microaggregation
from anonagram.methods.noise import CorrelatedNoise as CorrelatedNoise
from anonagram.methods.noise import Noise as Noise
from anonagram.methods.permutation import Permutation as Permutation
from anonagram.methods.random import Random as Random
from anonagram.methods.rank_swapping import RankSwapping as RankSwapping
from anonagram.methods.shuffling import Shuffling as Shuffling
from anonagram.attacks.tuning import Tuning as Tuning
from anonagram.attacks.tuning import tune as tune

# the protector and the auditor: what is promised
from anonagram.models.model import Finding as Finding
from anonagram.models.model import PrivacyModel as PrivacyModel
from anonagram.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
from anonagram.models.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
from anonagram.models.gamma_amplification import GammaAmplification as GammaAmplification
from anonagram.models.k_anonymity import KAnonymity as KAnonymity
from anonagram.models.ke_anonymity import KeAnonymity as KeAnonymity
from anonagram.models.l_diversity import LDiversity as LDiversity
from anonagram.models.probabilistic_anonymity import (
    ProbabilisticAnonymity as ProbabilisticAnonymity,
)
from anonagram.models.recursive_l_diversity import RecursiveLDiversity as RecursiveLDiversity

# the auditor
from anonagram.attacks.attack import Attack as Attack
from anonagram.attacks.attack import AttackResult as AttackResult
from anonagram.attacks.audit import Audit as Audit
from anonagram.attacks.audit import audit as audit
from anonagram.attacks.figures.intersection import Intersection as Intersection
from anonagram.attacks.figures.intersection import intersect as intersect

# the analyst
from anonagram.queries.answers import Answer as Answer
from anonagram.queries.answers import Answers as Answers

# the subject, whose verb is `anonagram.verify.verify`
from anonagram.verify.verification import Verification as Verification
