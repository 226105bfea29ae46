"""Which methods and parameters are tried on a table: one of each family first, then other parameters.

So however little time there is, methods are compared that have little in common.

A method that is not listed here, such as one of another package, is tried as its own example says.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anonagram.columns.places import is_measured
from anonagram.errors import AnonagramError, InputError
from anonagram.methods import Method
from anonagram.microdata import Microdata

FAMILIES = (
    "rank_swapping(p=10)",
    "random()",
    'distributional(target="uniform", groups="neighbours", size=20)',
    "mondrian(k_anonymity(k=5), l_diversity(l=3))",
    "generalize(l=4)",
    "permutation(l=4)",
    "microaggregation(k=10)",
    "data_swapping(share=0.5)",
    "shuffling()",
    "noise(scale=0.5)",
    "correlated_noise(scale=0.5)",
    "incognito(k_anonymity(k=5))",
    "datafly(k_anonymity(k=5), suppress=0.04)",
    "samarati(k_anonymity(k=5), suppress=0.04)",
    "optimal(k_anonymity(k=5), l_diversity(l=3), suppress=0.04)",
    "anatomy(l=4)",
)
"""One of each, those first that are soon measured: intruders learn from exact rows in groups longest."""
MORE = (
    'anatomy(l=4, partition="alike")',
    "generalize(l=8)",
    "permutation(l=8)",
    "anatomy(l=8)",
    'anatomy(l=8, partition="alike")',
    "generalize(l=2)",
    "permutation(l=2)",
    "anatomy(l=2)",
    'anatomy(l=4, partition="buckets")',
    "rank_swapping(p=40)",
    "mondrian(k_anonymity(k=20), l_diversity(l=4))",
    'permutation(l=4, partition="alike")',
    'generalize(l=4, partition="alike")',
    "microaggregation(k=50)",
)
KE = "ke"
FOR_SERIES = "m_invariance"
"""For tables that are published again and again: no intruder here knows by which rule it makes people up,
so beside methods for one release it would look safer than it is."""


def calls_for(microdata: Microdata) -> list[str]:
    """The calls to try, in their order, as the methods themselves write them."""
    known: dict[str, type[Method]] = Method.known()
    listed = {text.split("(")[0] for text in FAMILIES}
    others = [each.example for name, each in known.items() if name not in listed | {KE, FOR_SERIES}]
    calls = [*FAMILIES, *_ke(microdata), *others, *MORE]
    return list(dict.fromkeys(repr(Method.parse(call)) for call in calls))


def _ke(microdata: Microdata) -> list[str]:
    """(k,e) asks how far amounts of a group must be apart: a quarter of what most people span."""
    for column in microdata.with_role("sensitive"):
        if is_measured(column.kind) and column.domain.dtype.is_numeric():
            values = column.decode(column.codes).drop_nulls().to_numpy()
            low, high = np.quantile(values, [0.1, 0.9])
            apart = float(f"{(high - low) / 4:.2g}")
            return [f"ke(k=4, e={apart:g})"] if apart > 0 else []
    return ["ke(k=4, e=1)"]


def read_calls(path: Path) -> list[str]:
    """The calls of a file, one on each line; empty lines and those behind # are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "a call on each line.") from error
    calls = []
    for number, line in enumerate(lines, 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        try:
            calls.append(repr(Method.parse(text)))
        except AnonagramError as error:
            raise InputError(f"{path}, line {number}: {error.what}", error.remedy) from error
    if not calls:
        raise InputError(f"{path} names no method.", "a call on each line, such as anatomy(l=4).")
    return list(dict.fromkeys(calls))
