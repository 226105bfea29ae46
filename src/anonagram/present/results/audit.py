"""How an audit is shown: how far values moved, who is linked, and the verdict."""

from __future__ import annotations

from anonagram.attacks import Audit, Verdict, binned
from anonagram.attacks.audit import NoiseSize
from anonagram.attacks.audit_words import audit_details, audit_headline
from anonagram.attacks.figures.shares import percent
from anonagram.present.charts import chart_distances
from anonagram.present.glossary import AUDIT
from anonagram.present.sections import Bar, Cell, Document, Mood, Section, Table, number, say
from anonagram.shown.wording import how_many

DISTANCES_SHOWN = 16
SMALLEST_P = 1e-12
MOODS = {
    Verdict.WITHSTANDS: Mood.GOOD,
    Verdict.CANNOT_TELL: Mood.UNSURE,
    Verdict.DOES_NOT_WITHSTAND: Mood.BAD,
}


def document(audit: Audit) -> Document:
    """All sections of an audit, what intruders found first."""
    is_known = audit.order.is_known
    sections = (
        _attacks(audit),
        _attributes(audit) if is_known else None,
        _attribute_details(audit),
        _privacy(audit),
        _subsets(audit),
        _distances(audit),
        _linkage(audit) if is_known else _nearness(audit),
        _linkage_details(audit) if is_known else None,
    )
    return Document(
        f"Audit of {audit.masked} against {audit.original}: {how_many(audit.rows, 'row')}",
        tuple(section for section in sections if section is not None),
        audit_headline(audit),
        MOODS[audit.verdict],
        tuple(audit_details(audit)),
        AUDIT,
    )


def _attacks(audit: Audit) -> Section:
    """Every intruder beside what blind guesses would score, those who find most first."""
    rows = [
        [
            each.attack.call,
            percent(each.score),
            percent(each.baseline),
            "" if each.surest is None else percent(each.surest),
            f"{each.records.size:,}",
            str(each.verdict),
        ]
        for each in sorted(audit.results, key=lambda each: each.baseline - each.score)
    ]
    head = ["intruder", "finds", "by chance", "of the surest 1 %", "people", "verdict"]
    return Section("Who tried", Table.of(head, rows))


def _attributes(audit: Audit) -> Section:
    head = ["", "ranked by", "rank correlation", "mean", "median", "largest", "unmoved"]
    rows = [
        [
            a.name,
            a.ranking,
            number(a.rank_correlation, ".3f"),
            number(a.mean_distance, ",.1f"),
            number(a.median_distance, ",.9g"),
            f"{number(a.largest_distance, ',.9g')} ({number(a.largest_distance_percent, '.1f')} %)",
            number(a.unmoved, ".1%"),
            _deviation(a.residual_noise),
        ]
        for a in audit.attributes
    ]
    table = Table.of([*head, "residual noise"], rows, right=6)
    return Section("Attributes (distances in ranks)", table)


def _attribute_details(audit: Audit) -> Section:
    rows = [
        [
            a.name,
            _deviation(a.noise),
            f"{a.match_distance:,.1f}",
            f"{a.random_match_distance:,.1f}",
        ]
        for a in audit.attributes
    ]
    head = ["", "noise, as standard deviation", "match distance", "random match"]
    title = "Attributes: noise, and how far matches are in ranks"
    return Section(title, Table.of(head, rows, right=3), is_detail=True)


def _privacy(audit: Audit) -> Section:
    views = audit.permuted_privacy
    rows = [
        [name, *(f"{x[name]:.4g}" for p in views for x in (p.d, p.median_d, p.v))]
        for name in views[0].d
    ]
    head = [f"{name}, {p.view}" for p in views for name in ("d", "median d", "v")]
    looked = views[0].records
    who = (
        f"{how_many(looked, 'record')} drawn at random"
        if audit.linkage.share.is_sample
        else "all records"
    )
    return Section(
        f"(d,v,f)-permuted privacy: the least of {who}, and the median d (v: {views[0].criterion})",
        Table.of(["", *head], rows, right=len(head)),
    )


def _subsets(audit: Audit) -> Section | None:
    if not audit.subsets:
        return None
    rows = [
        [
            ", ".join(part.columns),
            percent(part.correct / part.records),
            f"{part.advantage:.3f}",
            "yes" if part.withstands else "no",
        ]
        for part in audit.subsets
    ]
    head = ["attributes", "correct", "advantage", "withstands"]
    return Section("On the attributes that moved least", Table.of(head, rows))


def _distances(audit: Audit) -> Section:
    """Both distributions, in at most so many ranges of distances."""
    linkage = audit.linkage
    width, starts, shares = binned(linkage.original, linkage.random, DISTANCES_SHOWN)
    rows: list[list[Cell]] = [
        [
            f"{start:g}" if width == 1 else f"{start:g} to {start + width - 1:g}",
            f"{one:.4f}",
            Bar(one),
            f"{two:.4f}",
            Bar(two),
        ]
        for start, one, two in zip(starts, *shares, strict=True)
    ]
    return Section(
        "Distance at which records are matched",
        Table.of(["d", "original", "", "random", ""], rows),
        chart=lambda: chart_distances(linkage),
    )


def _linkage(audit: Audit) -> Section:
    found = audit.linkage
    return say(
        f"Linkage: {found.correct:,} correct, {found.multiple:,} multiple, {found.wrong:,} "
        f"wrong. {_nearness(audit).sentences[0]}"
    )


def _nearness(audit: Audit) -> Section:
    """How both distributions differ, which needs no order of rows."""
    found = audit.linkage
    p = f"p = {found.p_value:.2g}" if found.p_value >= SMALLEST_P else f"p < {SMALLEST_P:g}"
    return say(f"Hellinger {found.hellinger:.4f}, advantage {found.advantage:.4f} ({p}).")


def _linkage_details(audit: Audit) -> Section:
    found, equal = audit.linkage, audit.equal_values
    rows = [
        ["linked to their own image", f"{found.correct:,}"],
        ["linked to somebody else's", f"{found.wrong:,}"],
        ["several candidates", f"{found.multiple:,}"],
        ["right by blind guesses", f"about {found.by_chance:.1f}"],
        ["nearer than random records would be", f"{found.too_near:,}"],
        ["of which right", f"{found.too_near_correct:,}"],
    ]
    if equal is not None:
        rows.append(["found by equal values", f"{equal.correct:,} of {equal.records:,}"])
    title = f"Linkage of {how_many(found.asked.size, 'record')}"
    return Section(title, Table.of(["", ""], rows, right=1), is_detail=True)


def _deviation(noise: NoiseSize | None) -> str:
    """To four digits, without an exponent."""
    return "–" if noise is None else f"{float(f'{noise.standard_deviation:.4g}'):,.12g}"
