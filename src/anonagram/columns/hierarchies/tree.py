"""Values under branches that are written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from anonagram.calls import NotEmpty, Words
from anonagram.columns.hierarchy import HierarchyRule, value_texts
from anonagram.errors import CallError, SchemaError, suggest


@dataclass(frozen=True, repr=False)
class Tree(
    HierarchyRule, call="tree", example='tree({"Europe": ["France", "Spain"], "Asia": ["India"]})'
):
    """An explicit tree: ``tree({"Europe": ["France", "Spain"], "Asia": ["India"]})``."""

    branches: Annotated[Mapping[Any, Any], NotEmpty(), Words("a dictionary of branches")]

    def labels(self, domain: pl.Series) -> list[Sequence[str]]:
        """The labels at each level."""
        paths: dict[str, list[str]] = {}
        _walk(self.branches, [], paths)
        depth = max(len(path) for path in paths.values())
        labels = []
        for text in value_texts(domain):
            if text not in paths:
                raise SchemaError(
                    f"The tree does not hold the value {text!r}.",
                    f"put it under a branch; {suggest(text, paths)}",
                )
            path = paths[text]
            # a shallow leaf repeats itself upwards so that all leaves reach the same level
            labels.append([text] * (depth - len(path)) + path[::-1])
        return list(zip(*labels, strict=True))


def _walk(node: Any, above: list[str], paths: dict[str, list[str]]) -> None:
    if isinstance(node, Mapping):
        for label, child in node.items():
            _walk(child, [*above, str(label)], paths)
        return
    for leaf in node if isinstance(node, list | tuple) else [node]:
        if isinstance(leaf, Mapping):
            _walk(leaf, above, paths)
        elif paths.setdefault(str(leaf), above) is not above:
            raise CallError(f"tree: {leaf!r} stands under two branches.", "keep one of them.")
