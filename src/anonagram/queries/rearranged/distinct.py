"""Bounds of COUNT(DISTINCT …): which values must be among the hits, and which can be.

At least as many are different as any one group needs to fill its hits with its most frequent values,
and every value without which a group cannot be filled is there. At most as many as values can occur,
and as all groups can hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonagram.queries.sql import UNKNOWN, by

NEVER = -700.0
"""The logarithm of next to no chance: of less, databases say that it is too little."""


def write_distinct(parts: dict[str, str], valued: str, name: str, keys: Sequence[str]) -> list[str]:
    """The fields of the number of different values, in the query of this name.

    `valued` names a query with a row for each group g and value x that w of its people can have;
    of all `total` values of the group, lo to hi are hits, each with the chance p.
    """
    given = "".join(f"v.{key} AS {key}, " for key in keys)
    inside = ", ".join([*(f"v.{key}" for key in keys), "v.g"])
    parts[f"{name}_filled"] = (
        f"SELECT {given}v.g AS g, v.w AS w, v.lo AS lo, v.hi AS hi, SUM(v.w) OVER (PARTITION BY "
        f"{inside} ORDER BY v.w DESC ROWS UNBOUNDED PRECEDING) - v.w AS before FROM {valued} AS v"
    )
    parts[f"{name}_groups"] = (
        f"SELECT {given}v.g AS g, SUM(CASE WHEN v.before < v.lo THEN 1 ELSE 0 END) AS least, "
        f"LEAST(MIN(v.hi), COUNT(*)) AS most FROM {name}_filled AS v{by(len(keys) + 1)}"
    )
    odds = f"CASE WHEN v.p >= 0.999999999 THEN {NEVER!r} ELSE v.w * LN(1.0 - v.p) END"
    parts[f"{name}_values"] = (
        f"SELECT {given}v.x AS x, MAX(CASE WHEN v.lo > v.total - v.w THEN 1 ELSE 0 END) AS must, "
        f"1.0 - EXP(GREATEST({NEVER!r}, SUM({odds}))) AS chance "
        f"FROM {valued} AS v WHERE v.hi > 0{by(len(keys) + 1)}"
    )
    parts[f"{name}_filling"] = (
        f"SELECT {given}MAX(v.least) AS least, SUM(v.most) AS most FROM {name}_groups AS v"
        f"{by(len(keys))}"
    )
    parts[f"{name}_occurring"] = (
        f"SELECT {given}SUM(v.must) AS must, COUNT(*) AS may, SUM(v.chance) AS expected "
        f"FROM {name}_values AS v{by(len(keys))}"
    )
    on = " AND ".join(f"o.{key} IS NOT DISTINCT FROM f.{key}" for key in keys)
    parts[name] = (
        f"SELECT {''.join(f'o.{key} AS {key}, ' for key in keys)}o.expected AS estimate, "
        "GREATEST(f.least, o.must) AS lower, LEAST(f.most, o.may) AS upper "
        f"FROM {name}_occurring AS o JOIN {name}_filling AS f ON {on or 'TRUE'}"
    )
    return [f"{name}.{each}" for each in ("estimate", "lower", "upper")] + [UNKNOWN, "1"]
