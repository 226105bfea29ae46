"""What `anonagram` offers: each name where it is defined, nothing forgotten, nothing twice."""

from __future__ import annotations

import ast
import re
from collections import Counter
from importlib import import_module

import pytest

import anonagram
from anonagram import Method, PrivacyModel
from tests.conftest import ROOT

STUB = ROOT / "src/anonagram/__init__.pyi"
NAMES = [name for name in anonagram.__all__ if name != "__version__"]


def test_the_list_is_read_as_type_checkers_read_it():
    """They take `from home import X as X` and nothing else for a public name."""
    text = STUB.read_text(encoding="utf-8")
    lines = re.findall(r"from anonagram\.([\w.]+) import \(?\s*(\w+) as \2,?\s*\)?\n", text)
    assert [name for _, name in lines] == NAMES
    assert len(lines) == len(ast.parse(text).body) - 1  # and the version
    assert max(Counter(NAMES).values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_defined_where_the_list_says(name):
    found = getattr(anonagram, name)
    assert found.__name__ == name
    assert found.__doc__
    assert getattr(import_module(found.__module__), name) is found
    assert f"from {found.__module__} import {name} as {name}" in re.sub(
        r"\(\s*|,?\s*\)", "", STUB.read_text(encoding="utf-8")
    )


def test_every_method_and_model_is_public():
    for family in (Method, PrivacyModel):
        for member in family.known().values():
            assert getattr(anonagram, member.__name__) is member


def test_every_person_has_a_word():
    """What the package says about itself names only what it offers, for all four people."""
    for person in ("protector", "analyst", "subject", "auditor"):
        assert f"\nFor the {person}, " in anonagram.__doc__
        assert f"# the {person}" in STUB.read_text(encoding="utf-8")
    words = re.findall(r"`([A-Z]\w*|tune|audit|intersect)`", anonagram.__doc__)
    assert len(words) > 15
    assert set(words) <= set(NAMES)


def test_what_is_not_offered_is_not_there():
    with pytest.raises(AttributeError, match="nothing"):
        _ = anonagram.nothing
    assert "import_module" not in dir(anonagram)
    assert "Key" in dir(anonagram)


@pytest.mark.parametrize(
    "stub", sorted((ROOT / "src").rglob("__init__.pyi")), ids=lambda stub: stub.parent.name
)
def test_a_listed_name_is_no_file_of_its_package(stub):
    """Once such a file is imported, Python finds it under the name, and not what was listed."""
    listed = re.findall(r" as (\w+)", stub.read_text(encoding="utf-8"))
    assert listed
    assert not {path.stem for path in stub.parent.iterdir()} & set(listed)
