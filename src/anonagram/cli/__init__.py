"""The command line: it translates words into calls of the library and computes nothing itself."""

from anonagram.cli.app import main, run_and_end

__all__ = ["main", "run_and_end"]
