"""Imports only go down, and optional libraries stay in their places."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import anonagram

PACKAGE = Path(anonagram.__file__).parent
# from the bottom up; a module may import from its own layer and those below
LAYERS = [
    {"errors", "shown", "kernels", "calls", "runtime", "digests"},
    {"schema", "sources", "key", "demo"},
    {"columns"},
    {"microdata", "profile"},
    # a release is asked through its own method `query`, so asking is on its level
    {"partition", "release", "queries", "engines", "verify"},
    {"methods", "models", "measures", "attacks"},
    {"present"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ONLY_IN = {
    "psycopg": {"sources", "engines"},
    "duckdb": {"engines"},
    "sqlglot": {"queries", "engines", "measures"},
    "numba": {"kernels"},
    "scipy": {"columns", "methods"},
    "msgspec": {"release"},
    "typer": {"cli"},
    "rich": {"cli"},
    "altair": {"present"},
    "efficient_apriori": {"measures"},
    "vl_convert": {"present"},
}
NEVER_IMPORTED = {"pandas", "pyarrow"}


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


MODULES = [
    path
    for path in PACKAGE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py") or path.parent != PACKAGE
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in imports_of(path):
        library, *rest = name.split(".")
        if library == "anonagram" and rest[0] != "__version__":
            assert LEVEL[rest[0]] <= LEVEL[own], f"{own} imports {name}, which is above it"
        assert own in ONLY_IN.get(library, {own}), f"{name} belongs elsewhere"
        assert library not in NEVER_IMPORTED


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "polars", "numba", "msgspec", "typer"}
    script = f"import sys, anonagram; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_public_names_are_what_the_list_says():
    for name in anonagram.__all__:
        assert getattr(anonagram, name) is not None
    assert sorted(anonagram.__all__) == dir(anonagram)
    with pytest.raises(AttributeError):
        _ = anonagram.nothing
