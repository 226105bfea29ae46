"""What a release costs and what it risks: one measure, one file."""

from anonagram.runtime.listed import listed

__all__, __getattr__, __dir__ = listed(__name__)
