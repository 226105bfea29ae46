"""Ways to make a release: one method, one file, found by itself."""

from anonagram.methods.method import Method
from anonagram.methods.publication import Publication

__all__ = ["Method", "Publication"]
