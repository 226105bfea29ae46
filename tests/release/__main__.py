"""`python -m tests.release --kills 1000` or `--forge 2000`: see `kills` and `forging`."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from tests.release.forging import hunt
from tests.release.kills import kill_commands, kill_writers


def main() -> None:
    """Kill as often as the command line says, and tell what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--commands", type=int, default=0)
    parser.add_argument("--forge", type=int, default=0)
    parser.add_argument("--seed", type=int, default=os.getpid())
    parser.add_argument("--without-exchange", action="store_true")
    parser.add_argument("--name", default="release", help="release.zip for an archive")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        can_exchange = not chosen.without_exchange
        if chosen.kills:
            seen = kill_writers(
                folder, chosen.kills, chosen.seed, can_exchange=can_exchange, name=chosen.name
            )
            print(f"{chosen.kills} kills of a writer, seed {chosen.seed}: {dict(seen)}", flush=True)
        if chosen.commands:
            seen = kill_commands(
                folder, chosen.commands, chosen.seed, can_exchange=can_exchange, name=chosen.name
            )
            print(f"{chosen.commands} kills of the command: {dict(seen)}")
        if chosen.forge:
            seen, wrong = hunt(folder / "forged", chosen.forge, chosen.seed)
            print(
                f"{chosen.forge} forged bundles, seed {chosen.seed}: {dict(seen)}", *wrong, sep="\n"
            )


if __name__ == "__main__":
    main()
