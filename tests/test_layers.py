"""Imports only go down, and optional libraries stay in their places."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import anonagram

PACKAGE = Path(anonagram.__file__).parent
# from the bottom up; a module may import from its own layer and those below
LAYERS = [
    {"errors", "shown", "kernels", "calls", "runtime", "digests"},
    {"schema", "sources", "key", "demo"},
    {"columns"},
    {"microdata", "people", "profile", "prediction"},
    {"partition", "lattice", "release", "engines"},
    {"queries", "learning", "registers"},
    {"methods", "models", "measures", "attacks", "verify"},
    {"graphs", "reports", "comparison", "recipes", "divided"},
    {"present"},
    {"cli"},
]
DOORS = ("release/doors.py", "shown/result.py", "engines/spark.py")
"""Where alone something reaches up, inside functions: a release can be asked and writes its page, a
result is shown in a notebook."""
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ONLY_IN = {
    "psycopg": {"sources", "engines"},
    "fastexcel": {"sources"},
    "pyreadstat": {"sources"},
    "duckdb": {"engines"},
    "pyspark": {"engines"},
    "sqlglot": {"queries", "measures", "graphs"},
    "numba": {"kernels"},
    "scipy": {"columns", "methods", "attacks", "learning"},
    "msgspec": {"release", "comparison", "recipes"},
    "typer": {"cli"},
    "rich": {"cli"},
    "altair": {"present"},
    "jinja2": {"present"},
    "markupsafe": {"present"},
    "efficient_apriori": {"measures"},
    "vl_convert": {"present"},
}
NEVER_IMPORTED = {"pandas", "pyarrow"}


def imports_of(path: Path) -> set[str]:
    """Every module and name that a file imports, wherever in it, also for types alone."""
    return names_in(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules(package: Path) -> list[Path]:
    """All files but those that gather the public names."""
    front = {package / "__init__.py", package / "__main__.py"}
    return sorted(path for path in package.rglob("*.py") if path not in front)


def room_of(path: Path, package: Path) -> str:
    """The folder, or the file beside the folders, to which a module belongs."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def is_door(path: Path, package: Path) -> bool:
    return path.relative_to(package).as_posix() in DOORS


def rooms(package: Path) -> dict[str, set[str]]:
    """Which folders the files of every folder import from."""
    graph: dict[str, set[str]] = {}
    for path in modules(package):
        own = room_of(path, package)
        to = graph.setdefault(own, set())
        if not is_door(path, package):
            to |= {name.split(".")[1] for name in imports_of(path) if name.startswith("anonagram.")}
    return {own: to - {own, "__version__"} for own, to in graph.items()}


def cycle_in(graph: Mapping[str, set[str]]) -> list[str] | None:
    """Folders that import each other in a circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_folders_have_no_cycles():
    assert cycle_in(rooms(PACKAGE)) is None


@pytest.mark.parametrize(
    ("file", "line", "other"),
    [
        (
            "engines/duck.py",
            "from anonagram.queries.rearranged.rewrite import Statement",
            "queries",
        ),
        ("release/release.py", "    from anonagram.queries import Answers", "queries"),
        ("release/doors.py", None, "graphs"),
        ("shown/result.py", None, "present"),
    ],
)
def test_a_cycle_is_seen(tmp_path, monkeypatch, file, line, other):
    copy = tmp_path / "anonagram"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert cycle_in(rooms(copy)) is None
    if line is None:
        monkeypatch.setitem(globals(), "DOORS", set(DOORS) - {file})
    else:
        text = f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    {line.strip()}\n"
        (copy / file).write_text(text)
    cycle = cycle_in(rooms(copy))
    assert cycle is not None
    assert {file.split("/")[0], other} <= set(cycle)


@pytest.mark.parametrize("door", DOORS)
def test_doors_open_when_somebody_asks(door):
    """They reach up inside functions, so that all can be used without what is above it."""
    tree = ast.parse((PACKAGE / door).read_text(encoding="utf-8"))
    at_once = names_in(tree.body)
    assert not {name for name in at_once if name.startswith("anonagram.")}


@pytest.mark.parametrize("path", modules(PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    own = room_of(path, PACKAGE)
    for name in imports_of(path):
        library, *rest = name.split(".")
        if library == "anonagram" and rest[0] != "__version__" and not is_door(path, PACKAGE):
            assert LEVEL[rest[0]] <= LEVEL[own], f"{own} imports {name}, which is above it"
        assert own in ONLY_IN.get(library, {own}), f"{name} belongs elsewhere"
        assert library not in NEVER_IMPORTED


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "polars", "numba", "msgspec", "typer"}
    script = f"import sys, anonagram; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
