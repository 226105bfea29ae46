"""Run as ``python -m anonagram``."""

from anonagram.cli import run_and_end

if __name__ == "__main__":
    run_and_end()
