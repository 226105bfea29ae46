"""Ways to make a release: one method, one file."""

from anonagram.methods.anatomy import Anatomy
from anonagram.methods.generalize import Generalize
from anonagram.methods.ke import Ke
from anonagram.methods.method import Method, Publication
from anonagram.methods.permutation import Permutation
from anonagram.methods.random import Random

__all__ = ["Anatomy", "Generalize", "Ke", "Method", "Permutation", "Publication", "Random"]
