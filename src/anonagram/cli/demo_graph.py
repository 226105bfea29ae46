"""`anonagram demo --graph`: the whole story on a made-up pharmacy."""

from __future__ import annotations

from pathlib import Path

from anonagram.cli import screen
from anonagram.cli.check import show_findings
from anonagram.shown.wording import how_many

METHOD = "safe_grouping(k=5, l=5)"
QUESTION = (
    "SELECT kind, COUNT(*) FROM edges JOIN customers USING (customer) JOIN products USING (product) "
    "WHERE age >= 60 GROUP BY kind"
)


def demo_graph(folder: Path) -> None:
    """Hide who bought what, check it, and ask it."""
    from anonagram.demo import PHARMACY_SCHEMA, pharmacy_tables
    from anonagram.graphs import Graph, GraphMethod
    from anonagram.key import Key
    from anonagram.models import PrivacyModel
    from anonagram.present import document_of

    tables = pharmacy_tables()
    with screen.steps():
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.write_csv(folder / f"{name}.csv")
        (folder / "pharmacy.toml").write_text(PHARMACY_SCHEMA, encoding="utf-8")
        left, right, edges = (str(folder / f"{name}.csv") for name in tables)
        graph = Graph.read(left, right, edges, folder / "pharmacy.toml")
        publication = GraphMethod.parse(METHOD).publish(graph, Key.generate())
        publication.write(folder / "graph", force=True)
        release = publication.release
        findings = [PrivacyModel.parse(c.model).check(release) for c in release.manifest.claims]
        answers = release.query(QUESTION)
    screen.say("A made-up pharmacy: who bought what must not be published.")
    for name, table in tables.items():
        screen.print_frame(f"{name}: {how_many(table.height, 'row')}", table.head(3))
    screen.say(
        f"Published with {METHOD}: customers, products and every purchase are still there, but "
        "the purchases are between nodes without names; whose node is whose is told for a group."
    )
    for name in ("left", "left_nodes", "edges"):
        screen.print_frame(name, release.tables[name].head(3))
    if release.graph is not None:
        screen.say(f"{release.graph.not_hidden()}. Then the groups of all they bought stand open.")
    screen.say("The promise, recomputed from the published tables alone:")
    show_findings(findings)
    screen.say(f"Whoever gets the release asks it in SQL: {QUESTION}")
    screen.show_sections(document_of(answers).sections)
    words = screen.words("verify", folder / "graph", "--table", "customers", "--set", "age=41")
    screen.say(f"Try next: anonagram {words}")
