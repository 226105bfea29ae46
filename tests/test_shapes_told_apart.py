"""Nobody outside release/ tells shapes apart: they are asked what they can."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import anonagram
from anonagram import Release

PACKAGE = Path(anonagram.__file__).parent
MAKERS = {"release", "methods", "graphs"}
"""Who may name a shape: the folder of shapes, methods, which make them, and what knows graphs alone."""


def family(kind: type) -> Iterator[type]:
    yield kind
    for each in kind.__subclasses__():
        if each.__module__.startswith("anonagram."):
            yield from family(each)


Release.known()
FAMILY = {kind.__name__ for kind in family(Release)}
SHAPES = {kind.__name__ for kind in Release.known().values() if kind.__name__ in FAMILY}


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
    }


def questions_about_shapes(text: str) -> set[str]:
    """The classes of releases by which a file tells releases apart."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                found |= names_in(kinds)
            case ast.MatchClass(cls=kind):
                found |= names_in(kind)
            case ast.Compare() if "type" in names_in(node):
                found |= names_in(node)
    return found & FAMILY


def shapes_named(text: str) -> set[str]:
    """The shapes that a file names at all: an alias or a table of classes tells them apart too."""
    tree = ast.parse(text)
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return (names_in(tree) | imported) & SHAPES


OUTSIDE = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] not in {"release", "__init__.py"}
]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_outside_tells_shapes_apart(path):
    text = path.read_text(encoding="utf-8")
    assert not questions_about_shapes(text)
    if path.relative_to(PACKAGE).parts[0] not in MAKERS:
        assert not shapes_named(text)


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(release, AnatomizedRelease)",
        "not isinstance(view.release, MaskedRelease | PerturbedRelease)",
        "isinstance(release, (release.GroupedRelease, int))",
        "issubclass(method.shape, WithGroups)",
        "isinstance(release, Release)",
        "match release:\n    case PermutedRelease(): pass",
        "type(release) is GeneralizedRelease",
        "type(release) in (AnatomizedRelease, PermutedRelease)",
    ],
)
def test_telling_them_apart_is_seen(text):
    assert questions_about_shapes(text)


@pytest.mark.parametrize(
    "text",
    [
        "from anonagram.release import PermutedRelease as One",
        "KINDS = {AnatomizedRelease: 1}",
        "release.PerturbedRelease",
    ],
)
def test_naming_them_is_seen(text):
    assert shapes_named(text)


def test_there_are_shapes_to_be_seen():
    assert {"AnatomizedRelease", "MaskedRelease"} <= SHAPES
    assert {"Release", "WithGroups", "GroupedRelease"} <= FAMILY
