"""How a graph is anonymized, around each method's own idea: describe, verify, claim."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import final

from anonagram import __version__
from anonagram.calls import Call
from anonagram.errors import CallError, PromiseBroken
from anonagram.graphs.degrees import refuse_degrees
from anonagram.graphs.graph import Graph
from anonagram.graphs.schema import SIDES
from anonagram.key import Key
from anonagram.measures.published import measure_published
from anonagram.methods.publication import Publication
from anonagram.models import PrivacyModel
from anonagram.profile.personal import refuse_personal
from anonagram.release import (
    Claim,
    DescribedTable,
    GraphNames,
    GroupedGraphRelease,
    Manifest,
    Rows,
    describe_column,
)
from anonagram.runtime.progress import step


class GraphMethod(Call, home="anonagram.graphs.methods"):
    """How to anonymize a graph: a frozen dataclass of parameters."""

    noun = "method for graphs"

    @abstractmethod
    def promises(self) -> tuple[PrivacyModel, ...]:
        """The models that every release of this method satisfies."""

    @abstractmethod
    def rearrange(self, graph: Graph, key: Key, manifest: Manifest) -> Publication:
        """The method's own work: make the published tables and the mapping."""

    def anonymize(self, graph: Graph, key: Key | None = None) -> GroupedGraphRelease:
        """Make a release and verify its promise; the key is drawn when none is given."""
        return self.publish(graph, key or Key.generate()).release  # type: ignore[return-value]

    @final
    def publish(self, graph: Graph, key: Key, created: date | None = None) -> Publication:
        """Make and verify a release, and hand the secret mapping over beside it."""
        if not isinstance(graph, Graph):
            raise CallError(
                f"A {type(graph).__name__} is no graph.", "Graph.read(left, right, edges, schema)"
            )
        for side in SIDES:
            refuse_personal(graph.table(side))
        refuse_degrees(graph)
        manifest = self._describe(graph, key, created)
        publication = self.rearrange(
            graph, key.derived(graph.digest, repr(self).encode()), manifest
        )
        step("Checking the promise")
        claims = []
        for model in self.promises():
            finding = model.check(publication.release)
            if not finding.holds:
                raise PromiseBroken(f"{self!r} made a release on which {finding}.", "report this.")
            claims.append(Claim(repr(model), finding.achieved))
        step("Measuring")
        risk, utility = measure_published(publication.release)
        told = replace(
            publication.release.manifest, claims=tuple(claims), risk=risk, utility=utility
        )
        return Publication(replace(publication.release, manifest=told), publication.mapping, key)

    def _describe(self, graph: Graph, key: Key, created: date | None) -> Manifest:
        salt = key.salt(graph.digest, repr(self).encode())
        tables = tuple(
            DescribedTable(
                side,
                Rows.all_of(graph.table(side).rows),
                tuple(describe_column(column) for column in graph.table(side).columns),
                graph.table(side).dropped,
            )
            for side in SIDES
        )
        manifest = Manifest(
            method=repr(self),
            tables=tables,
            layout={},
            key_commitment=key.commitment(salt),
            key_salt=salt,
            section=GraphNames(graph.edges, graph.names, graph.keys, graph.key_ends),
            created=(created or datetime.now(UTC).date()).isoformat(),
            software=f"anonagram {__version__}",
        )
        return manifest.with_layout(GroupedGraphRelease.own_names(manifest.columns))
