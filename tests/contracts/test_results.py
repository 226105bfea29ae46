"""What every result must do when it is shown; a new one is picked up by itself."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import anonagram
from anonagram import (
    Anatomy,
    Answers,
    Finding,
    Graph,
    KAnonymity,
    Key,
    KOptimize,
    Microdata,
    Optimal,
    Permutation,
    Random,
    RankSwapping,
    SafeGrouping,
    compare,
)
from anonagram.attacks import (
    Aligned,
    AttackResults,
    SeveralReleases,
    Target,
    UnmaskedColumns,
    audit,
    defend_release,
    tune,
)
from anonagram.graphs.measures import GraphMeasures
from anonagram.graphs.profile import GraphProfile
from anonagram.graphs.verification import verify_graph
from anonagram.measures import (
    OwnMeasures,
    Workload,
    knowledge_kept,
    measure_masked,
    measure_perturbed,
    measure_release,
    run_workload,
)
from anonagram.present import document_of, page
from anonagram.present.sections import Document, Interval, Table
from anonagram.profile import Profile
from anonagram.profile.climb import Climb
from anonagram.recipes import Kept, Outcome, Recipe, Written
from anonagram.release import Release
from anonagram.reports import report_on
from anonagram.shown.result import Shown
from anonagram.shown.visible import visible
from anonagram.verify import verify

EVIL = "<q onclick=alert(1)>\x1b[31m"
ROLES = {"age": "quasi", EVIL: "quasi", "ill": "sensitive"}
TABLE = {
    "age": [20 + i * 7 % 41 for i in range(60)],
    EVIL: [i * 11 % 13 for i in range(60)],
    "ill": [f"d{i % 5}" for i in range(60)],
}


def data() -> Microdata:
    return Microdata.read(TABLE, ROLES)


def made(method: Any, number: int = 0) -> Release:
    return method.anonymize(data(), Key(bytes([number]) * 32))


def moved() -> Aligned:
    numbers = {name: TABLE[name] for name in ("age", EVIL)}
    return Aligned.read(numbers, {**numbers, EVIL: TABLE[EVIL][::-1]}, in_order=True)


def several() -> Any:
    target = Target(made(Anatomy(2)), data(), others=(made(Anatomy(2), 1),))
    return SeveralReleases().run(target).figures


def defence() -> Any:
    target = Target(made(Anatomy(2)), data())
    return defend_release(AttackResults.of_everybody(target), target)


def graph() -> Graph:
    number = list(range(12))
    side = {"who": number, "kind": [EVIL, "b", "c"] * 4}
    roles = {"who": "identifier", "kind": "plain"}
    return Graph.read(
        side, side, {"a": number, "b": number[::-1]},
        {"left": roles, "right": roles, "edges": {"a": "left", "b": "right"}},
        names=(EVIL, "things"),
    )  # fmt: skip


def outcome() -> Outcome:
    publication = Anatomy(2).publish(data(), Key(bytes(32)))
    recipe = Recipe(data="a", schema="b", method="anatomy(l=2)", write=Written("c"))
    limits = (Kept(EVIL, "none", "one", holds=False),)
    return Outcome(recipe, data(), publication, report_on(publication.release), limits)


RESULTS: dict[str, Callable[[], Shown]] = {
    "Release": lambda: made(Anatomy(2)),
    "Answers": lambda: made(Anatomy(2)).query("SELECT ill, COUNT(*) FROM data GROUP BY ill"),
    "Finding": lambda: KAnonymity(1000).check(made(Permutation(2))),
    "Measures": lambda: measure_release(made(Permutation(2)), data(), None),
    "PerturbedMeasures": lambda: measure_perturbed(made(Random()), data()),
    "MaskedMeasures": lambda: measure_masked(made(RankSwapping(p=20)), data()),
    "OwnMeasures": lambda: OwnMeasures("mine", 60, {EVIL: 0.5}),
    "Audit": lambda: audit(moved()),
    "AttackResults": lambda: AttackResults.of_everybody(Target(made(Anatomy(2)), data())),
    "Defence": defence,
    "AttackResult": lambda: UnmaskedColumns().run(Target(pair=moved())),
    "Intersection": several,
    "Verification": lambda: verify(made(Anatomy(2)), {"age": 27, EVIL: 11}),
    "WorkloadResult": lambda: run_workload(
        made(Anatomy(2)), data(), Workload.draw(data(), queries=20)
    ),
    "KnowledgeKept": lambda: knowledge_kept(made(Random()), data(), 0.01, 0.05),
    "Tuning": lambda: tune(data(), "data_swapping", keys=1),
    "Profile": lambda: Profile.of(TABLE),
    "Climb": lambda: Climb.of(TABLE, EVIL),
    "Choice": lambda: Optimal(KAnonymity(2)).publish(data(), Key(bytes(32))).choice,
    "CutChoice": lambda: (
        KOptimize(KAnonymity(2), seconds=0.1).publish(data(), Key(bytes(32))).choice
    ),
    "GraphMeasures": lambda: GraphMeasures.of(SafeGrouping(2, 2).anonymize(graph())),
    "Outcome": outcome,
    "Comparison": lambda: compare(data(), ["anatomy(l=2)", "anatomy(l=9)"], workers=0),
    "Report": lambda: report_on(made(Anatomy(2))),
    "GraphProfile": lambda: GraphProfile.of(graph()),
    "GraphVerification": lambda: verify_graph(
        SafeGrouping(2, 2).anonymize(graph()), EVIL, {"kind": EVIL}
    ),
}


@pytest.fixture(scope="module", params=list(RESULTS))
def result(request: pytest.FixtureRequest) -> Shown:
    return RESULTS[request.param]()


def classes(of: type[Shown]) -> set[str]:
    """The results there are; shapes of releases are shown as releases are."""
    found = set()
    for each in of.__subclasses__():
        found |= {each.__name__} if "shown_by" in vars(each) else classes(each)
    return found


def test_every_result_is_tried():
    for module in pkgutil.walk_packages(anonagram.__path__, "anonagram."):
        if "__main__" not in module.name:
            import_module(module.name)
    assert {name for name in classes(Shown) if not name.startswith("_")} == set(RESULTS)


def test_every_file_shows_a_result():
    home = import_module("anonagram.present.results")
    files = {module.name for module in pkgutil.iter_modules(home.__path__)}
    assert files == {RESULTS[name]().shown_by for name in RESULTS}


def test_it_has_a_title_and_tables_that_are_whole(result):
    shown = document_of(result)
    assert isinstance(shown, Document)
    assert shown.title
    assert shown.headline or shown.told or shown.sections
    for section in shown.sections:
        assert section.title or section.sentences
        assert section.table is not None or section.chart is None  # a terminal has no pictures
        if section.table is not None:
            check_table(section.table)


def check_table(table: Table) -> None:
    assert 0 <= table.right <= len(table.head)
    for row in table.rows:
        assert len(row) == len(table.head)
        for cell in row:
            if isinstance(cell, Interval):
                low, middle, high = cell.places()
                assert 0 <= low <= middle <= high <= 1


def test_pages_and_notebooks_show_it_without_network_or_script(result):
    for html in (page(document_of(result)), result._repr_html_()):
        assert "<script" not in html
        assert "<q" not in html
        assert not re.search(r"\b(src|href)\s*=|url\((?!#)|@import", html)
        assert "\x1b" not in html
        assert html.count("<table") == html.count("</table>")


def test_print_begins_with_the_worst_and_dumps_no_arrays(result):
    """It was all fields of all parts, arrays and frames too."""
    told, document = str(result), document_of(result)
    if not isinstance(result, Release | Answers | Finding):  # which say it in a line or a table
        assert told.startswith(visible(document.headline or document.title))
    assert "array(" not in told
    assert "shape: (" not in told


def test_a_notebook_gets_it_short(result):
    assert 50 < len(result._repr_html_()) < 60_000


def test_a_notebook_without_charts_shows_tables(monkeypatch, result):
    import sys

    monkeypatch.setitem(sys.modules, "altair", None)
    shown = document_of(result)
    tables = [s for s in shown.sections if s.table is not None and not s.is_detail]
    assert result._repr_html_().count("<table") == len(tables)
