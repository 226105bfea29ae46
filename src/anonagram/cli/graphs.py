"""Graphs on the command line: what `anonymize`, `inspect` and `verify` do with two tables and edges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonagram.cli import screen
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.attacks import Attack
    from anonagram.graphs import Graph, GraphSchema
    from anonagram.graphs.earlier import Earlier
    from anonagram.graphs.profile import GraphProfile
    from anonagram.graphs.schema import Side
    from anonagram.methods import Publication
    from anonagram.release import Release
    from anonagram.release.release import Format

SIDES: tuple[Side, Side] = ("left", "right")
Left = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="Of a graph: the entities at the left end of its edges, which are DATA.",
    ),
]
Right = Annotated[
    str | None, typer.Option(metavar="DATA", help="Of a graph: the entities at the right end.")
]


@dataclass(frozen=True)
class GraphFiles:
    """Where the tables of a graph are."""

    edges: str
    left: str
    right: str

    @classmethod
    def given(cls, edges: str, left: str | None, right: str | None) -> GraphFiles | None:
        """The three tables; None where no graph is asked for."""
        from anonagram.errors import CallError

        if left is None and right is None:
            return None
        if left is None or right is None:
            raise CallError("A graph has entities at both ends.", "--left DATA and --right DATA")
        return cls(edges, left, right)

    @property
    def paths(self) -> list[Path]:
        """All that is read."""
        return [Path(self.edges), Path(self.left), Path(self.right)]

    @property
    def tables(self) -> tuple[str, str, str]:
        """Both tables of entities, and the edges."""
        return self.left, self.right, self.edges

    def read(self, schema: Path | GraphSchema | None) -> Graph:
        """Read the graph."""
        from anonagram.graphs import Graph

        return Graph.read(self.left, self.right, self.edges, schema)


@dataclass(frozen=True)
class Kept:
    """Where a release goes, with what key, and which earlier ones there are."""

    output: Path
    private: Path | None
    key: Path | None
    previous: list[Path]
    format: Format
    page: bool
    force: bool


def refuse_for_graphs(options: dict[str, object]) -> None:
    """Refuse an option that says nothing about graphs."""
    from anonagram.errors import CallError

    for name, given in options.items():
        if given:
            raise CallError(f"{name} is about tables; this is a graph.", f"leave {name} out.")


def anonymize_graph(
    files: GraphFiles, schema: Path, method: str, kept: Kept, *, as_json: bool
) -> None:
    """Make a release of a graph, verify its promise, and write it."""
    from anonagram.graphs import GraphMethod
    from anonagram.graphs.earlier import laid_over
    from anonagram.key import Key
    from anonagram.methods.publication import require_places
    from anonagram.release import PrivateFile
    from anonagram.runtime.progress import step

    chosen = GraphMethod.parse(method)
    inputs = [*files.paths, schema, *([kept.key] if kept.key else [])]
    require_places(kept.output, kept.private, force=kept.force, inputs=inputs)
    with screen.steps() as seconds:
        earlier = None
        if kept.key is not None and PrivateFile.is_one(kept.key):
            earlier = PrivateFile.read(kept.key)
        secret = earlier.key if earlier else Key.read(kept.key) if kept.key else Key.generate()
        graph = files.read(schema)
        if earlier is not None and kept.key is not None and not kept.force:
            earlier.require_salt(graph.digest, kept.key)
        is_same = earlier is not None and earlier.method == repr(chosen)
        created = earlier.created if earlier is not None and is_same else None
        publication = chosen.publish(graph, secret, created)
        step("Laying it over earlier releases")
        again = laid_over(publication.release, _earlier(kept, graph))
        step("Writing")
        publication.write(
            kept.output, kept.private, format=kept.format, force=kept.force, page=kept.page
        )
    if as_json:
        told = {"again": [{"folder": str(path), **each.to_dict()} for path, each in again]}
        screen.print_json(_summary(publication, graph, kept, seconds) | told)
    else:
        for path, each in again:
            screen.say(
                f"Warning: {path} is a release of the same graph: publish one only. {each.sentence}"
            )
        _show(publication, graph, kept)


def _earlier(kept: Kept, graph: Graph) -> list[Earlier]:
    """Releases that were named, and those that stand where this one comes."""
    from anonagram.errors import CallError
    from anonagram.graphs.earlier import Earlier, earlier_beside
    from anonagram.release import Release

    named = [Earlier(path, Release.read(path)) for path in kept.previous]
    for path, release in named:
        if release.graph is None:
            raise CallError(f"{path} is no release of a graph.", "leave --previous out.")
    known = [path.resolve() for path in kept.previous]
    found = earlier_beside(kept.output, graph)
    return [*named, *(each for each in found if each.path.resolve() not in known)]


def _summary(
    publication: Publication, graph: Graph, kept: Kept, seconds: dict[str, float]
) -> dict[str, object]:
    manifest = publication.release.manifest
    return {
        "folder": str(kept.output),
        "private": None if kept.private is None else str(kept.private),
        "method": manifest.method,
        "edges": graph.edges,
        "repeated_edges": graph.repeated,
        "isolated": graph.isolated,
        "tables": {name: table.height for name, table in publication.release.tables.items()},
        "claims": [{"model": c.model, "achieved": c.achieved} for c in manifest.claims],
        "risk": manifest.risk,
        "utility": manifest.utility,
        "headline": None
        if publication.release.graph is None
        else publication.release.graph.not_hidden(),
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }


def _show(publication: Publication, graph: Graph, kept: Kept) -> None:
    """What was published, the worst that is known of it first."""
    release = publication.release
    if release.graph is not None:
        screen.say(
            f"{release.graph.not_hidden()}. He then knows the groups of all their neighbours."
        )
    if graph.repeated:
        screen.say(f"{how_many(graph.repeated, 'edge')} stood there again; each counts once.")
    for side in SIDES:
        if graph.isolated[side]:
            screen.say(f"{graph.isolated[side]:,} of {graph.name(side)} have no edge.")
    screen.say(f"Wrote {kept.output}: {release!r}.")
    for name, table in release.tables.items():
        screen.say(f"  {name}: {how_many(table.height, 'row')} × {how_many(table.width, 'column')}")
    if kept.private is not None:
        screen.say(f"Key and mapping are in {kept.private}: keep it secret.")
    screen.say(
        "Do not publish the same graph again with other groups: both together may tell who is who."
    )
    if kept.private is None and kept.key is None:
        screen.say("The key was not kept; with --private FILE the same groups can be made again.")
    screen.say(f"Next: anonagram {screen.words('check', kept.output)}")


def intruders_for(release: Release, original: str | None) -> type[Attack[Any]]:
    """Those who try tables, or those who try graphs; these need no original."""
    from anonagram.attacks import Attack
    from anonagram.graphs import GraphAttack

    if release.graph is None:
        return Attack
    refuse_for_graphs({"--original": original})
    return GraphAttack


def inspect_graph(
    files: GraphFiles, schema: Path | None, written: Path | None, *, force: bool, as_json: bool
) -> None:
    """Profile a graph, by its schema or a proposed one, which can be written to edit."""
    from anonagram.graphs import GraphSchema
    from anonagram.graphs.profile import GraphProfile
    from anonagram.graphs.proposal import propose_schema
    from anonagram.present import document_of
    from anonagram.runtime.atomic import replacing, require_free

    if written is not None:
        require_free(written, is_ours=GraphSchema.is_one, force=force)
    with screen.steps():
        proposed = None if schema is not None else propose_schema(*files.tables)
        profile = GraphProfile.of(files.read(schema or proposed))
    if written is not None and proposed is not None:
        with replacing(written, is_ours=GraphSchema.is_one, force=force) as partial:
            partial.write_text(proposed.to_toml(), encoding="utf-8")
    if as_json:
        screen.print_json(profile.to_dict())
        return
    shown = document_of(profile)
    screen.say(shown.headline)
    screen.show_sections(shown.sections)
    if schema is None:
        _show_next(files, profile, written)


def _show_next(files: GraphFiles, profile: GraphProfile, written: Path | None) -> None:
    """What to do next."""
    if written is None:
        screen.say("Next: the same with --write-schema FILE, to edit the roles of the columns.")
        return
    k, l = (min(5, side.largest_groups) for side in profile.sides)
    screen.say(f"Wrote {written}. Read and edit every line of it, then:")
    tables = ("--left", files.left, "--right", files.right, "--schema", written)
    read = screen.words("anonymize", files.edges, *tables)
    screen.say(f'  anonagram {read} --method "safe_grouping(k={k}, l={l})" -o release')


def measure_graph(release: Release, charts: Path | None, *, as_json: bool) -> None:
    """Measure a graph from its release, and draw degrees and groups."""
    from anonagram.graphs.measures import GraphMeasures
    from anonagram.present import document_of

    measures = GraphMeasures.of(release)
    if charts is not None:
        from anonagram.present.graph_charts import chart_counted

        drawn = {
            f"{side}_{what}": chart_counted(each.counted, what)
            for side, each in zip(SIDES, measures.sides, strict=True)
            for what in ("degrees", "group_sizes")
        }
        screen.save_charts(drawn, charts)
    if as_json:
        screen.print_json(measures.to_dict())
        return
    screen.show(document_of(measures))
    if charts is not None:
        screen.say(f"Charts are in {charts}.")


def ask_graph(
    release: Release,
    files: GraphFiles | None,
    schema: Path | None,
    drawn: tuple[str, int | None, float, int, int],
    chart: Path | None,
    *,
    as_json: bool,
) -> None:
    """Ask a graph and its release the same random questions."""
    from anonagram.errors import CallError
    from anonagram.graphs.workload import GraphWorkload, run_graph_workload
    from anonagram.present import document_of

    if files is None or schema is None:
        raise CallError(
            "The original of a graph is two tables of entities, its edges and their schema.",
            "--original EDGES --left DATA --right DATA --schema FILE",
        )
    result = run_graph_workload(release, GraphWorkload.draw(files.read(schema), *drawn))
    if chart is not None:
        from anonagram.present.charts import save_chart
        from anonagram.present.graph_charts import chart_selectivity

        save_chart(chart_selectivity(result), chart)
    if as_json:
        screen.print_json(result.to_dict())
        return
    screen.show(document_of(result))
    if chart is not None:
        screen.say(f"The chart is in {chart}.")


def verify_in_graph(
    release: Release, table: str | None, record: dict[str, Any], *, as_json: bool
) -> None:
    """What somebody who knows an entity learns about it from a graph."""
    from anonagram.errors import CallError
    from anonagram.graphs.verification import verify_graph
    from anonagram.present import document_of

    if table is None:
        raise CallError("A graph has two tables of entities.", "--table NAME says which.")
    found = verify_graph(release, table, record)
    if as_json:
        screen.print_json(found.to_dict())
    else:
        screen.show(document_of(found))
