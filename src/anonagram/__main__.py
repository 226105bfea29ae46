"""Run as ``python -m anonagram``."""

from anonagram.cli import main

if __name__ == "__main__":
    main()
