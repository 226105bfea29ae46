"""The page of an audit: verdict, charts and figures."""

from __future__ import annotations

from html import escape

from anonagram.attacks import Audit
from anonagram.attacks.audit import Noise
from anonagram.present.charts import chart_distances, svg_of
from anonagram.shown.page_policy import still_page
from anonagram.shown.visible import visible

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; font-weight: bold }
th, td { white-space: nowrap; padding: .2rem .7rem; border-bottom: 1px solid #ccc; text-align: right }
th:first-child, td:first-child { text-align: left }
.verdict { padding: .7rem 1rem; border-left: .4rem solid #2a7; background: #eefaf4 }
.fails { border-color: #c33; background: #fdeeee }
"""


def audit_page(audit: Audit) -> str:
    """The whole page as text."""
    *told, verdict = audit.summary()
    state = "" if audit.withstands else " fails"
    title = f"Audit of {audit.masked} against {audit.original}"
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="verdict{state}">{_text(verdict)}</p>',
        "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in told) + "</ul>",
        svg_of(chart_distances(audit.linkage, "At what distance records find a match")),
        _linkage_table(audit),
        _attribute_table(audit),
        _subset_table(audit),
        _privacy_table(audit),
    ]
    return still_page(title, "".join(parts), STYLE)


def _text(text: str) -> str:
    return escape(visible(text))


def _table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><caption>{_text(caption)}</caption>{row(head, 'th')}{body}</table>"


def _linkage_table(audit: Audit) -> str:
    found = audit.linkage
    rows = [
        ["linked to their own image", f"{found.correct:,}"],
        ["linked to somebody else's", f"{found.wrong:,}"],
        ["several candidates", f"{found.multiple:,}"],
        ["right by blind guesses", f"about {found.by_chance:.1f}"],
        [
            "found by equal values",
            f"{audit.equal_values.correct:,} of {audit.equal_values.records:,}",
        ],
        ["nearer than random records would be", f"{found.too_near:,}"],
        ["of which right", f"{found.too_near_correct:,}"],
        ["Hellinger's distance from random records", f"{found.hellinger:.4f}"],
        ["advantage over random records", f"{found.advantage:.4f}"],
        [
            "p-value of that advantage",
            "below 1e-12" if found.p_value < 1e-12 else f"{found.p_value:.2g}",
        ],
    ]
    return _table(f"Linkage of {audit.rows:,} records", ["", ""], rows)


def _attribute_table(audit: Audit) -> str:
    head = [
        "attribute", "ranked by", "rank correlation", "mean distance", "largest", "unmoved",
        "noise", "residual noise", "match distance", "random match",
    ]  # fmt: skip
    rows = [
        [
            a.name,
            a.ranking,
            number(a.rank_correlation, ".3f"),
            f"{a.mean_distance:.1f}",
            f"{a.largest_distance:g} ({a.largest_distance_percent:.1f} %)",
            f"{a.unmoved:.1%}",
            number(_deviation(a.noise), ".4g"),
            number(_deviation(a.residual_noise), ".4g"),
            f"{a.match_distance:.1f}",
            f"{a.random_match_distance:.1f}",
        ]
        for a in audit.attributes
    ]
    return _table("Attributes (distances in ranks, noise as standard deviation)", head, rows)


def _privacy_table(audit: Audit) -> str:
    rows = [
        [
            f"{each.view}: {name}",
            f"{each.d[name]:g}",
            f"{each.median_d[name]:g}",
            f"{each.v[name]:.4g}",
        ]
        for each in audit.permuted_privacy
        for name in each.d
    ]
    criterion = audit.permuted_privacy[0].criterion
    caption = f"(d,v,f)-permuted privacy that every record has, and the median d (v: {criterion})"
    return _table(caption, ["seen by", "d", "median d", "v"], rows)


def _subset_table(audit: Audit) -> str:
    rows = [
        [
            ", ".join(part.columns),
            f"{part.correct / part.records:.2%}",
            f"{part.advantage:.3f}",
            "yes" if part.withstands else "no",
        ]
        for part in audit.subsets
    ]
    head = ["attributes", "correct", "advantage", "withstands"]
    return _table("On the attributes that moved least", head, rows) if rows else ""


def _deviation(noise: Noise | None) -> float | None:
    return None if noise is None else noise.standard_deviation


def number(value: float | None, form: str) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else format(value, form)
