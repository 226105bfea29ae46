"""Ways to make a release: one method, one file."""

from anonagram.methods.anatomy import Anatomy
from anonagram.methods.method import Method, Publication

__all__ = ["Anatomy", "Method", "Publication"]
