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
from anonagram.graphs.graph import Graph as Graph
from anonagram.graphs.schema import GraphSchema as GraphSchema

# the protector: how it is published
from anonagram.methods.method import Method as Method
from anonagram.methods.publication import Publication as Publication
from anonagram.methods.anatomy import Anatomy as Anatomy
from anonagram.methods.data_swapping import DataSwapping as DataSwapping
from anonagram.methods.datafly import Datafly as Datafly
from anonagram.methods.distributional import Distributional as Distributional
from anonagram.methods.generalize import Generalize as Generalize
from anonagram.methods.incognito import Incognito as Incognito
from anonagram.methods.k_optimize import KOptimize as KOptimize
from anonagram.methods.ke import Ke as Ke
from anonagram.methods.m_invariance import MInvariance as MInvariance
from anonagram.methods.microaggregation import Microaggregation as Microaggregation
from anonagram.methods.mondrian import Mondrian as Mondrian
from anonagram.methods.noise import CorrelatedNoise as CorrelatedNoise
from anonagram.methods.noise import Noise as Noise
from anonagram.methods.optimal import Optimal as Optimal
from anonagram.methods.permutation import Permutation as Permutation
from anonagram.methods.personalized import Personalized as Personalized
from anonagram.methods.random import Random as Random
from anonagram.methods.rank_swapping import RankSwapping as RankSwapping
from anonagram.methods.samarati import Samarati as Samarati
from anonagram.methods.shuffling import Shuffling as Shuffling
from anonagram.graphs.method import GraphMethod as GraphMethod
from anonagram.graphs.methods.safe_grouping import SafeGrouping as SafeGrouping
from anonagram.comparison.comparing import compare as compare
from anonagram.comparison.comparison import Comparison as Comparison
from anonagram.recipes.recipe import Recipe as Recipe
from anonagram.attacks.tuning import Tuning as Tuning
from anonagram.attacks.tuning import tune as tune

# the protector and the auditor: what is promised
from anonagram.models.model import Finding as Finding
from anonagram.models.model import PrivacyModel as PrivacyModel
from anonagram.models.alpha_k import AlphaK as AlphaK
from anonagram.models.beta_likeness import BetaLikeness as BetaLikeness
from anonagram.models.delta_presence import DeltaPresence as DeltaPresence
from anonagram.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from anonagram.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
from anonagram.models.distributional_privacy import (
    DistributionalPrivacy as DistributionalPrivacy,
)
from anonagram.models.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
from anonagram.models.gamma_amplification import GammaAmplification as GammaAmplification
from anonagram.models.k_map import KMap as KMap
from anonagram.models.k_anonymity import KAnonymity as KAnonymity
from anonagram.models.ke_anonymity import KeAnonymity as KeAnonymity
from anonagram.models.l_diversity import LDiversity as LDiversity
from anonagram.models.m_uniqueness import MUniqueness as MUniqueness
from anonagram.models.personalized_privacy import PersonalizedPrivacy as PersonalizedPrivacy
from anonagram.models.probabilistic_anonymity import (
    ProbabilisticAnonymity as ProbabilisticAnonymity,
)
from anonagram.models.recursive_l_diversity import RecursiveLDiversity as RecursiveLDiversity
from anonagram.models.t_closeness import TCloseness as TCloseness
from anonagram.models.withstands_learning import WithstandsLearning as WithstandsLearning
from anonagram.models.safe_grouping import SafelyGrouped as SafelyGrouped

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
