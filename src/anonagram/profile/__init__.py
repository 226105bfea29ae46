"""A first look at a table: what is in it, who would be unique, which role each column may play."""

from anonagram.runtime.listed import listed

__all__, __getattr__, __dir__ = listed(__name__)
