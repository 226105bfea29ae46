"""Claims and figures of a release from those of its blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from anonagram.divided.work import BlockDone
from anonagram.errors import InternalError
from anonagram.models import PrivacyModel
from anonagram.models.k_anonymity import KAnonymity
from anonagram.models.model import GroupModel
from anonagram.release import Claim, Figures

Weight = Callable[[BlockDone], int]
MEANS: dict[str, Weight] = {
    "mean_posterior": lambda block: block.rows,
    "mean_reidentification": lambda block: block.rows,
    "ncp_per_cell": lambda block: block.rows,
    "mean_group_size": lambda block: block.groups,
}
"""Figures that are means, and over what."""
WORST = {
    "highest_posterior": max, "highest_reidentification": max, "gamma_amplification": max,
    "probabilistic_anonymity": min,
}  # fmt: skip
"""Figures of the worst place, of which the whole has no other."""


def combine_claims(
    promises: Sequence[PrivacyModel], blocks: Sequence[BlockDone], alike: pl.DataFrame | None = None
) -> tuple[Claim, ...]:
    """Every promise with what the worst block achieves: no group is in two blocks.

    Rows that look alike can be; then `alike` tells how often so many of all are equal.
    """
    claims = []
    for place, model in enumerate(promises):
        if alike is not None and isinstance(model, KAnonymity):
            claims.append(Claim(repr(model), model.look_at(alike).achieved))
            continue
        levels = [block.claims[place].achieved for block in blocks]
        is_less = isinstance(model, GroupModel) and model.less_is_stronger
        claims.append(Claim(repr(model), max(levels) if is_less else min(levels)))
    return tuple(claims)


def combine_figures(blocks: Sequence[BlockDone], known: Mapping[str, float]) -> Figures:
    """Risk and utility of all blocks together, some of which are known already."""
    risk, utility = (
        {
            name: known[name]
            if name in known
            else _combined(name, [block.figures[part][name] for block in blocks], blocks)
            for name in names
        }
        for part, names in enumerate(blocks[0].figures)
    )
    return risk, utility


def _combined(name: str, values: Sequence[float], blocks: Sequence[BlockDone]) -> float:
    if name in MEANS:
        weights = [MEANS[name](block) for block in blocks]
        return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
    if name in WORST:
        return float(WORST[name](values))
    if len(set(values)) > 1:
        raise InternalError(f"Nothing says what {name} of a whole is from that of its blocks.")
    return values[0]
