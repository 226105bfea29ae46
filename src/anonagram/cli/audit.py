"""`anonagram audit`: attack a masked table with full knowledge of its original."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Columns, Data, RandomRecords, Tolerance

if TYPE_CHECKING:
    from anonagram.attacks import Audit

DISTANCES_SHOWN = 16
SMALLEST_P = 1e-12


class DiversityCriterion(StrEnum):
    """How different the values near a person's are."""

    variance = "variance"
    distinct = "distinct"
    entropy = "entropy"
    closeness = "closeness"


def audit(
    original: Data,
    masked: Annotated[
        str, typer.Argument(metavar="MASKED", help="What any tool made of it, or a release.")
    ],
    schema: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Roles, orders and hierarchies; else all columns."),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="NAME", help="Match rows by this column, not by position."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The private file of a release: whose row is whose."),
    ] = None,
    column: Columns = None,
    criterion: Annotated[
        DiversityCriterion, typer.Option(help="The diversity v of permuted privacy.")
    ] = DiversityCriterion.variance,
    random: RandomRecords = 10_000,
    tolerance: Tolerance = 0.1,
    links: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every record's match (CSV); for your eyes only."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with charts here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Audit a masked table, whatever made it: how far values moved, and who can be found again.

    An intruder who knows the whole original maps the masked values back to original ones of the same
    rank, links every record to the nearest one, and compares with records made up at random.

    Example: anonagram audit patients.csv masked.csv --html audit.html
    """
    from anonagram.attacks import Aligned, MaximumKnowledge
    from anonagram.attacks import audit as run_audit
    from anonagram.present import (
        audit_page,
        require_new_file,
        require_page_place,
        save_page,
        save_text,
    )
    from anonagram.present.charts import require_chart_place

    if html is not None:
        require_chart_place(html, formats=("html",))
        require_page_place(html)
    if links is not None:
        require_new_file(links)
    attack = MaximumKnowledge(random, tolerance)
    with screen.steps():
        pair = Aligned.read(
            original, masked, schema, id_column=id_column, columns=column or (), private=private
        )
        found = run_audit(pair, attack, criterion.value)
        if links is not None:
            save_text(found.linkage.table().write_csv(), links, is_private=True)
        if html is not None:
            save_page(audit_page(found), html)
    if as_json:
        screen.print_json(found.to_dict())
    else:
        _show(found)
        if links is not None:
            screen.say(f"Every record's match is in {links}: keep it secret.")
        if html is not None:
            screen.say(f"The page is {html}.")


def _show(found: Audit) -> None:
    linkage = found.linkage
    screen.say(f"{found.masked} against {found.original}: {found.rows:,} rows")
    _show_attributes(found)
    _show_privacy(found)
    _show_subsets(found)
    _show_distances(found)
    screen.say(
        f"Linkage: {linkage.correct:,} correct, {linkage.multiple:,} multiple, {linkage.wrong:,} "
        f"wrong. Hellinger {linkage.hellinger:.4f}, advantage {linkage.advantage:.4f} "
        f"({_p_text(linkage.p_value)})."
    )
    for line in found.summary():
        screen.say(f"• {line}")


def _show_attributes(found: Audit) -> None:
    head = ["", "ranked by", "rank correlation", "mean", "median", "largest", "unmoved"]
    screen.print_table(
        "Attributes (distances in ranks)",
        [*head, "residual noise"],
        [
            [
                a.name,
                a.ranking,
                "–" if a.rank_correlation is None else f"{a.rank_correlation:.3f}",
                f"{a.mean_distance:.1f}",
                f"{a.median_distance:g}",
                f"{a.largest_distance:g} ({a.largest_distance_percent:.1f} %)",
                f"{a.unmoved:.1%}",
                "–" if a.residual_noise is None else f"{a.residual_noise.standard_deviation:.4g}",
            ]
            for a in found.attributes
        ],
        right=6,
    )


def _show_privacy(found: Audit) -> None:
    protector, subject = found.permuted_privacy
    screen.print_table(
        f"(d,v,f)-permuted privacy: the least of all records, and the median d (v: {protector.criterion})",
        ["", "d, protector", "median", "v", "d, subject", "median", "v"],
        [
            [
                name,
                *(f"{x[name]:.4g}" for p in (protector, subject) for x in (p.d, p.median_d, p.v)),
            ]
            for name in protector.d
        ],
        right=6,
    )


def _show_subsets(found: Audit) -> None:
    if not found.subsets:
        return
    screen.print_table(
        "On the attributes that moved least",
        ["attributes", "correct", "advantage", "withstands"],
        [
            [
                ", ".join(part.columns),
                f"{part.correct / part.records:.2%}",
                f"{part.advantage:.3f}",
                "yes" if part.withstands else "no",
            ]
            for part in found.subsets
        ],
    )


def _p_text(p: float) -> str:
    return f"p = {p:.2g}" if p >= SMALLEST_P else f"p < {SMALLEST_P:g}"


def _show_distances(found: Audit) -> None:
    """Both distributions, in at most so many ranges of distances."""
    from anonagram.attacks import binned

    width, starts, shares = binned(found.linkage.original, found.linkage.random, DISTANCES_SHOWN)
    screen.print_table(
        "Distance at which records are matched",
        ["d", "original", "", "random", ""],
        [
            [
                f"{start:g}" if width == 1 else f"{start:g} to {start + width - 1:g}",
                f"{one:.4f}",
                screen.bar(one),
                f"{two:.4f}",
                screen.bar(two),
            ]
            for start, one, two in zip(starts, *shares, strict=True)
        ],
    )
