"""Errors and summaries name options in the words of whoever asks."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

import anonagram
from anonagram.attacks import Aligned
from anonagram.errors import InputError
from anonagram.shown.wording import flags, option

PACKAGE = Path(anonagram.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]")
INSTALLER = "pip install --upgrade anonagram"
FILES = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "cli"]


def flags_outside_of_options(path: Path) -> list[str]:
    """Texts with a flag of the command line that are neither docstrings nor words of an option."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option":
            passed |= {inner for each in node.args for inner in ast.walk(each)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in passed
        and node.value != INSTALLER
        and FLAG.search(node.value)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_flags_are_words_of_options(path):
    assert flags_outside_of_options(path) == []


def test_a_flag_in_a_text_is_seen(tmp_path):
    (tmp_path / "x.py").write_text(
        '"""Docs --force."""\nraise E(f"add --force to {x}", option("--a", "a"))'
    )
    assert flags_outside_of_options(tmp_path / "x.py") == ["add --force to "]


def test_python_and_the_command_line_word_the_same_remedy():
    for speak, worded in ((None, "id_column=NAME"), (flags, "--id NAME")):
        with pytest.raises(InputError) as refused:
            if speak is None:
                Aligned.read({"a": [1, 2, 3]}, {"a": [1, 2]}, in_order=True)
            else:
                with speak():
                    Aligned.read({"a": [1, 2, 3]}, {"a": [1, 2]}, in_order=True)
        assert worded in refused.value.remedy


def test_a_command_that_fails_leaves_python_speaking_python(anonagram, tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n2\n3\n")
    (tmp_path / "b.csv").write_text("a\n1\n2\n")
    done = anonagram("audit", "a.csv", "b.csv", "--private", "a.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "leave --private out" in done.stderr
    assert option("--id", "id_column") == "id_column"


NOUNS = (
    "answers|attacks|attributes|bytes|cells|characters|columns|combinations|conditions|connections|"
    "cuts|edges|entities|fields|files|groups|intruders|kinds|labels|levels|limits|lines|matches|nodes|"
    "numbers|others|people|persons|questions|records|releases|rows|rules|sheets|steps|tables|texts|"
    "values|words|worlds|(?:different|more|sensitive|possible) values"
)
PLURAL = re.compile(rf" (?:{NOUNS})\b(?!.* none)")
SCRIPTED = re.compile(rf"\$\{{(?!howMany)[^{{}}]*\}} (?:{NOUNS})\b")
WORDS = ("side", "result.aggregate", "self.call", "keep", "kept")
"""Names of which no number is the value."""


def plurals_of_anything(path: Path) -> list[str]:
    """F-strings that say "1 rows" for a single one: a number, and a plural that stands there whatever."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.values for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    return [
        f"{{{ast.unparse(number.value)}}}{text.value}"
        for values in texts
        for number, text in pairwise(values)
        if isinstance(number, ast.FormattedValue) and isinstance(text, ast.Constant)
        if PLURAL.match(text.value) and may_be_one(number)
    ]


def may_be_one(number: ast.FormattedValue) -> bool:
    """Whether it is no constant, no rounded share and no word."""
    names = {each.id for each in ast.walk(number.value) if isinstance(each, ast.Name)}
    is_constant = bool(names) and all(name.isupper() for name in names)
    form = "" if number.format_spec is None else ast.unparse(number.format_spec)
    return not (is_constant or "." in form or "g" in form or number.conversion != -1) and (
        ast.unparse(number.value) not in WORDS
    )


@pytest.mark.parametrize(
    "path", [*PACKAGE.rglob("*.py")], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_one_of_them_is_no_plural(path):
    assert plurals_of_anything(path) == []


@pytest.mark.parametrize("path", [*PACKAGE.rglob("*.js")], ids=lambda path: path.name)
def test_one_of_them_is_no_plural_on_a_page(path):
    found = SCRIPTED.findall(path.read_text(encoding="utf-8"))
    assert [text for text in found if "aggregate" not in text] == []


def test_a_plural_of_anything_is_seen(tmp_path):
    (tmp_path / "x.py").write_text(
        "a = f'{n:,} rows'; b = f'{n:.0f} rows'; c = f'{MOST} rows'; d = f'{n} rowses'"
    )
    assert plurals_of_anything(tmp_path / "x.py") == ["{n} rows"]
    assert SCRIPTED.search("`${whole(rows)} rows`")
