"""What the strongest learner guesses with a release and without it, by partition and l.

python -m benchmarks.learning.withstand [--tables adult acs hospital] [--l 4 6]
"""

from __future__ import annotations

import argparse
import time

from anonagram import Key, Method
from anonagram.learning import score_strongest
from benchmarks.learning.tables import TABLES, read_table

KEY = Key(bytes(32))
PARTITIONS = ("buckets", "neighbours", "alike")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--l", nargs="+", type=int, default=[4, 6])
    parser.add_argument("--rows", type=int)
    words = parser.parse_args()
    for name in words.tables:
        microdata, sensitive = read_table(name, words.rows)
        for l in words.l:
            for partition in PARTITIONS:
                method = Method.parse(f'anatomy(l={l}, partition="{partition}")')
                release = method.anonymize(microdata, KEY).with_groups
                started = time.process_time()
                found = score_strongest(release, microdata, sensitive)
                seconds = time.process_time() - started
                print(
                    f"{name} l={l} {partition}: {found}; gains {100 * found.gain:.1f} points "
                    f"({seconds:.1f} s)",
                    flush=True,
                )


if __name__ == "__main__":
    main()
