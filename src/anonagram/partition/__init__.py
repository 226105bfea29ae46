"""How rows become groups: one way, one file."""

from anonagram.runtime.listed import listed

__all__, __getattr__, __dir__ = listed(__name__)
