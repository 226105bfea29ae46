"""How long every attack takes, and how much memory.

    python -m benchmarks.scaling.attacks [--rows 100000 1000000] [--calls CALL...] [--attacks NAME...]

Census-like people, each attack on a release that it is about: seconds of all processors together,
as a multiple of `np.lexsort` of the quasi-identifiers in the same run, and the peak of memory of the
process so far. Learning (definetti) has a limit of its own and is left out unless asked for by name.
"""

from __future__ import annotations

import argparse
import resource
import time
from functools import partial

import numpy as np

from anonagram import Key, Method
from anonagram.attacks import Attack, Target
from benchmarks.census import census

CALLS = ("anatomy(l=10)", "permutation(l=10)", "generalize(l=10)", "random()")


def attacks(names: list[str] | None) -> list[Attack]:
    """Those of these names, or all but learning; classes of occupations are their tens."""
    found = [Attack.parse(member.example) for member in Attack.known().values()]
    kinds = Attack.parse('similarity(classes="intervals(width=10)")')
    kept = [kinds if each.call == "similarity" else each for each in found]
    return [e for e in kept if (e.call in names if names else e.call != "definetti")]


def spent(work) -> tuple[float, float]:
    """Seconds of the clock and of all processors."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--calls", nargs="+", default=CALLS)
    parser.add_argument("--attacks", nargs="+", choices=list(Attack.known()))
    chosen = parser.parse_args()
    small = census(2_000)
    print(
        f"{'rows':>10} {'clock':>8} {'processor':>9} {'× lexsort':>9} {'GiB':>6}  attack on release"
    )
    for rows in chosen.rows:
        microdata = census(rows)
        columns = [column.codes for column in microdata.with_role("quasi")]
        lexsort = min(spent(partial(np.lexsort, columns))[1] for _ in range(3))
        for call in chosen.calls:
            method = Method.parse(call)
            first, second = (method.anonymize(microdata, Key(bytes([n]) * 32)) for n in (0, 1))
            target = Target(first, microdata, others=(second,) if first.grouped else ())
            compiled = Target(method.anonymize(small, Key(bytes(32))), small, others=(
                (method.anonymize(small, Key(bytes([1]) * 32)),) if first.grouped else ()
            ))  # fmt: skip
            for attack in attacks(chosen.attacks):
                if attack.unfit(target):
                    continue
                if not attack.unfit(compiled):
                    attack.run(compiled)
                clock, processor = spent(partial(attack.run, target))
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
                print(
                    f"{rows:10,} {clock:8.2f} {processor:9.2f} {processor / lexsort:9.1f} {peak:6.2f}  "
                    f"{attack.call} on {call}", flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
