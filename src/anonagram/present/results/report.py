"""How a report on a release is shown: in plain words first, figures after."""

from __future__ import annotations

import json
from collections.abc import Mapping

from anonagram.attacks import AttackResults
from anonagram.present.results.audit import MOODS
from anonagram.present.sections import Document, Mood, Section, Table, document_of
from anonagram.release import Release
from anonagram.release.told import Told
from anonagram.reports import Report
from anonagram.shown.result import Shown
from anonagram.shown.wording import how_many, option
from anonagram.verify.words import percent

VALUES = {"value", "kind"}
KINDS = {
    "value": "Sensitive values that are guessed or known",
    "kind": "The kind of a sensitive value",
    "presence": "The belief that somebody is in the table who is, on average",
    "row": "The chance to pick the right person for a row or group, on average",
    "order": "People at the place where they stood",
}
"""What intruders find out, the worst first, in words for somebody who decides."""
OF_GRAPHS = {"value": "Connections that are guessed or known"}
OPEN = {
    "presence": "who is in the table",
    "row": "whose row is whose",
    "order": "the order in which people stood",
}
"""What can stand open while values are hidden."""
ROLES = {"quasi": "may be known to others", "sensitive": "nobody should learn", "plain": "open"}
WAYS = {
    Told.EXACT: "as it was",
    Told.MOVED: "true values, at other people",
    Told.CHANGED: "changed",
    Told.REPLACED: "some values replaced by chance",
    Told.RANGE: "as a range or a set of values",
}


def document(report: Report) -> Document:
    """What is promised, what an intruder got and what to do; then everything else."""
    sections = [
        _published(report.release),
        _columns(report.release),
        _promised(report),
        _not_promised(report),
        *_part("What intruders got: ", report.attacks if _tried(report) else None),
        *_part("What an audit found: ", report.audit),
        *_part("What it costs: ", report.measures),
        *_part("What answers are worth: ", report.workload),
        *([Section("What was not measured", sentences=report.left_out)] if report.left_out else []),
        _manifest(report.release),
    ]
    mood = MOODS[report.verdict] if report.is_kept else Mood.BAD
    rows = sum(table.rows.published for table in report.release.manifest.tables)
    title = f"Report on a release: {how_many(rows, 'row')} by {report.release.manifest.method}"
    return Document(title, tuple(sections), report.headline, mood, tuple(_first(report)))


def _tried(report: Report) -> bool:
    return report.attacks is not None and bool(report.attacks.each)


def _first(report: Report) -> list[str]:
    """The first screen: promised, checked, got, to do."""
    claims = "; ".join(f"{each.model!r} ({each.model.words})" for each in report.findings)
    nothing = "nothing that can be checked without the original"
    promised = f"Promised: {claims or nothing}."
    kept = "every promise holds" if report.is_kept else "NOT every promise holds"
    checked = f"Checked on the published tables: {kept}." if report.findings else ""
    return [each for each in (promised, checked, *_got(report), _to_do(report)) if each]


def _got(report: Report) -> list[str]:
    """How many got more than they should, and the strongest of each kind."""
    if report.audit is not None:
        return [f"An audit of the masked table: {report.verdict}."]
    if report.attacks is None or not report.attacks.each:
        return ["Intruders: nobody could try, so nothing is shown."]
    tried, broken = len(report.attacks), len(report.attacks.broken)
    say = "it says" if tried == 1 else "together they say"
    names = ", ".join(each.attack.call for each in report.attacks.broken)
    told = (
        f"Intruders: {broken} of {tried} who tried got more than they should ({names})."
        if broken
        else f"Intruders: {tried} tried; {say}: {report.verdict}."
    )
    is_graph = report.release.graph is not None
    return [told, *_by_kind(report.attacks, KINDS | OF_GRAPHS if is_graph else KINDS)]


def _by_kind(attacks: AttackResults, kinds: Mapping[str, str]) -> list[str]:
    """What the strongest intruder of each kind scores, beside whom he is compared with."""
    told = []
    for kind, words in kinds.items():
        results = [each for each in attacks.worst_first if each.attack.about == kind]
        # an order that is not there is no news
        if results and (kind != "order" or results[0] in attacks.broken):
            worst = results[0]
            surest = f", and {worst.surest:.1%} of the 1 % he is surest of" if worst.surest else ""
            limit = getattr(worst.attack, "most", None)
            allowed = "" if limit is None else f"; up to {limit:.0%} is taken for hidden"
            told.append(
                f"{words}: {percent(worst.score)}, {percent(worst.baseline)} {worst.compared}{surest} "
                f"({worst.attack.call}: {worst.verdict}{allowed})."
            )
    return told


def _to_do(report: Report) -> str:
    if not report.is_kept:
        return "To do: do not hand it over; it is not what it says it is."
    if report.audit is None and (report.attacks is None or not report.attacks.each):
        return "To do: give the original (of a masked table also the private file), so that intruders try."
    if report.release.graph is not None:
        return (
            "To do: never publish the same graph again with other groups, and hand it over only where "
            "nobody knows the graph around people, or to people who are bound by contract."
        )
    if str(report.verdict) == "withstands":
        again = (
            "publish these people once, since what two such releases tell together is not measured"
            if report.release.grouped is None
            else "before these people are published again, measure what both releases tell together "
            f"({option('anonagram anonymize --previous', 'intersect')})"
        )
        return f"To do: keep the private file apart; {again}."
    if str(report.verdict) == "cannot tell":
        return "To do: read below what could not be told before handing it over."
    broken = [] if report.attacks is None else report.attacks.broken
    # an audit that fails found people beside whom their values stand
    if report.audit is None and not {each.attack.about for each in broken} & VALUES:
        less = (
            "; permutation and generalize show less of it where columns are coarse"
            if report.release.has_whole_rows
            else ""
        )
        open_to_all = " and ".join(
            words for kind, words in OPEN.items() if kind in {each.attack.about for each in broken}
        )
        return (
            f"To do: nobody was shown to learn more values than he should, but {open_to_all} is not "
            "hidden. Hand it over where that is no secret, or to people who are bound "
            f"by contract{less}."
        )
    how = (
        "anonagram attack names the smallest change that helps"
        if report.audit is None
        else "anonagram tune finds the least masking that withstands"
    )
    return (
        "To do: hand it over only to people who are bound by contract, or publish less: "
        f"{how}, and anonagram compare tries other methods."
    )


def _published(release: Release) -> Section:
    manifest = release.manifest
    rows = [table.rows for table in manifest.tables]
    lines = [
        ["method", manifest.method],
        ["made on", manifest.created],
        ["with", manifest.software],
        ["rows of the original", f"{sum(each.original for each in rows):,}"],
        ["rows published", f"{sum(each.published for each in rows):,}"],
        ["rows left out", f"{sum(each.suppressed for each in rows):,}"],
        ["rows that are nobody's", f"{sum(each.added for each in rows):,}"],
        ["columns left out", str(sum(table.dropped_columns for table in manifest.tables))],
        *(
            [f"table {name}", f"{how_many(t.height, 'row')} × {how_many(t.width, 'column')}"]
            for name, t in release.tables.items()
        ),
    ]
    return Section("What was published", Table.of(["", ""], lines))


def _columns(release: Release) -> Section:
    rows = []
    for column in release.manifest.columns:
        coarser = column.original.told if column.original and column.original.told else ""
        how = WAYS.get(release.how_told(column.name), str(release.how_told(column.name)))
        if column.role == "sensitive" and release.grouped is not None:
            how = "counted by group"
        rows.append([column.title, ROLES[column.role], how, coarser])
    return Section("Its columns", Table.of(["column", "is", "is told", "coarser"], rows))


def _promised(report: Report) -> Section:
    rows = []
    for finding in report.findings:
        verdict = "holds" if finding.holds else "DOES NOT HOLD"
        rows.append([repr(finding.model), finding.model.words, verdict, f"{finding.achieved:g}"])
    if not rows:
        return Section(
            "What is promised", sentences=("Nothing that can be checked without the original.",)
        )
    head = ["promise", "in words", "checked now", "reached"]
    notes = tuple(dict.fromkeys(finding.note for finding in report.findings if finding.note))
    return Section("What is promised, and checked", Table.of(head, rows, right=1), notes)


def _not_promised(report: Report) -> Section:
    """What nobody should read into it."""
    release = report.release
    if release.graph is not None:
        open_ = (
            "That nobody can tell who is in the tables: all entities stand in them as they are.",
            "Anything against somebody who knows the graph around an entity: it is published as it is.",
            "Anything together with another release of the same graph: publish it once.",
        )
        return Section("What is not promised", sentences=open_)
    told = [
        "That nobody can tell who is in the table: whoever is known to be in it is in it."
        if release.has_whole_rows
        else "That nobody can guess who is in the table.",
        "Anything together with other releases of the same people; only a series made by m_invariance "
        "keeps its promise over several.",
    ]
    if release.grouped is not None:
        told.append(
            "That learning from all groups tells nothing: promises are about one group at a time. What "
            "learners get is measured among the intruders."
        )
    if release.manifest.tables[0].rows_per_person is None:
        told.append("Anything about people with several rows: promises are about rows.")
    if not release.manifest.claims:
        told.append("Any bound on what an intruder finds; only an audit shows it.")
    return Section("What is not promised", sentences=tuple(told))


def _part(before: str, result: Shown | None) -> list[Section]:
    """The sections of a result under a title that says what they are part of."""
    if result is None:
        return []
    shown = document_of(result)
    said = tuple(each for each in (shown.headline, *shown.told) if each)
    return [Section(f"{before}{shown.title}", sentences=said), *shown.sections]


def _manifest(release: Release) -> Section:
    """What the release says of itself, entry by entry; columns stand above."""
    content = release.to_dict()
    for table in content["tables"]:
        table["columns"] = [column["name"] for column in table["columns"]]
    rows = [
        [name, json.dumps(value, ensure_ascii=False, default=str)]
        for name, value in content.items()
    ]
    return Section("The manifest", Table.of(["entry", ""], rows), is_detail=True)
