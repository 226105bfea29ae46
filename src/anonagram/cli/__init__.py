"""The command line: it translates words into calls of the library and computes nothing itself."""

from anonagram.cli.app import main, run

__all__ = ["main", "run"]
