"""Ways to make a release: one method, one file."""

from anonagram.methods.anatomy import Anatomy
from anonagram.methods.data_swapping import DataSwapping
from anonagram.methods.generalize import Generalize
from anonagram.methods.ke import Ke
from anonagram.methods.masking import MaskingMethod
from anonagram.methods.method import Method
from anonagram.methods.microaggregation import Microaggregation
from anonagram.methods.noise import CorrelatedNoise, Noise
from anonagram.methods.permutation import Permutation
from anonagram.methods.publication import Publication
from anonagram.methods.random import Random
from anonagram.methods.rank_swapping import RankSwapping
from anonagram.methods.shuffling import Shuffling

__all__ = [
    "Anatomy",
    "CorrelatedNoise",
    "DataSwapping",
    "Generalize",
    "Ke",
    "MaskingMethod",
    "Method",
    "Microaggregation",
    "Noise",
    "Permutation",
    "Publication",
    "Random",
    "RankSwapping",
    "Shuffling",
]
