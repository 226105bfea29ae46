"""What a person in the data can learn about herself from a release, without asking anybody."""

from anonagram.runtime.listed import listed

__all__, __getattr__, __dir__ = listed(__name__)
