"""Errors and summaries name options in the words of whoever asks."""

from __future__ import annotations

import ast
import re
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
