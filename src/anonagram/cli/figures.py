"""The figures of a manifest in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.release import Manifest

FIGURES = {
    "highest_posterior": "chance to guess a sensitive value by the group alone, at most",
    "mean_posterior": "and on average",
    "highest_reidentification": "chance to guess whose row it is by the group alone, at most",
    "mean_reidentification": "and on average",
    "mean_group_size": "rows in a group, on average",
    "ncp_per_cell": "detail lost inside groups (NCP), from 0 to 1",
    "rows_with_unique_quasi_identifiers": "share of rows that are the only ones with their "
    "quasi-identifiers",
    "share_of_columns_masked": "share of columns that were masked",
    "probabilistic_anonymity": "ways in which a row can have come about, on average",
    "gamma_amplification": "one origin of a row can be so many times likelier than another",
}
"""Figures of the manifest in words, with what they assume."""


def say_figures(manifest: Manifest) -> None:
    """Risk and utility, a line each."""
    for name, value in (*manifest.risk.items(), *manifest.utility.items()):
        screen.say(f"  {FIGURES.get(name, name.replace('_', ' '))}: {value:.4g}")
