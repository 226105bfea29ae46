"""Run as ``python -m anonagram``."""

from anonagram.cli import run

if __name__ == "__main__":
    run()
