"""README and docs are executed: what they show is what happens.

In a ``console`` block a line after ``$`` is run by the shell (our commands in this process, which is
faster; what they print goes to the shell) and the lines below it are the expected output, where a line
``...`` stands for any lines. Python blocks with ``>>>`` are doctests. Blocks of one page share a folder
that holds the demo's table. With ANONAGRAM_UPDATE_DOCS=1 outputs are rewritten instead of compared.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.main import get_command

from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
from tests.conftest import ROOT
from tests.inside import run_inside

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UPDATE = "ANONAGRAM_UPDATE_DOCS" in os.environ


@pytest.fixture
def folder(tmp_path, monkeypatch):
    hospital_table().write_csv(tmp_path / "hospital.csv")
    (tmp_path / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    (tmp_path / "key.txt").write_text("07" * 32)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "TERMINAL_WIDTH"):
        monkeypatch.setenv(name, "100")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_shows_what_happens(page, folder):
    names: dict[str, object] = {}
    text = page.read_text(encoding="utf-8")
    for language, block in BLOCK.findall(text):
        done = (
            # the first page people try goes through a shell and processes of its own, as theirs will
            run_console(block, folder, inside=page.name != "README.md")
            if language == "console"
            else run_python(block, names, page.name)
        )
        if UPDATE:
            text = text.replace(block, done)
        else:
            assert matches(block, done), f"{page.name} shows:\n{block}\nbut it is:\n{done}"
    if UPDATE:
        page.write_text(text, encoding="utf-8")


# anonagram and its words, then what the shell does with the output
OURS = re.compile(
    r"""anonagram((?:\s+(?!2>)(?:'[^']*'|"[^"$`]*"|\\\n|[^\s'"|<>;&$`()*?\\]+)+)*)\s*(2>&1)?\s*([|>].*)?"""
)


def run_console(block: str, folder: Path, *, inside: bool) -> str:
    shown = []
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
        if not part:
            continue
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command += "\n" + more
        ours = OURS.fullmatch(command[2:]) if inside else None
        done = run_ours(ours, folder) if ours else run_shell(command[2:], folder)
        output = "\n".join(line.rstrip() for line in done.splitlines()).strip("\n")
        keep = UPDATE and "..." in expected.splitlines()
        shown.append(f"{command}\n{expected.rstrip() if keep else output}".rstrip())
    return "\n".join(shown) + "\n"


def run_shell(command: str, folder: Path) -> str:
    """What a shell prints, in which anonagram is a command."""
    python = shlex.quote(sys.executable)
    return subprocess.run(
        ["bash", "-c", f'anonagram() {{ {python} -m anonagram "$@"; }}\n{command}'], cwd=folder,
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


def run_ours(found: re.Match[str], folder: Path) -> str:
    """What our command prints, in this process; the shell gets the rest of the line."""
    words, errors_too, rest = found.groups()
    done = run_inside(*shlex.split(words), cwd=folder, together=bool(errors_too) or not rest)
    if not rest:
        return done.stdout
    (folder / ".printed").write_text(done.stdout, encoding="utf-8")
    shell = run_shell(f"cat .printed {rest}", folder)
    (folder / ".printed").unlink()
    return shell + done.stderr


def matches(expected: str, actual: str) -> bool:
    lines = [
        "(.*\n)*?" if line == "..." else re.escape(line + "\n") for line in expected.splitlines()
    ]
    return re.fullmatch("".join(lines), actual) is not None


def run_python(block: str, names: dict[str, object], page: str) -> str:
    if ">>>" not in block:
        exec(compile(block, page, "exec"), names)
        return block
    test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    names.update(test.globs)
    return block


def test_every_command_is_in_the_reference():
    from anonagram.cli.app import app

    reference = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for name in get_command(app).commands:
        assert f"$ anonagram {name} --help" in reference


@pytest.mark.parametrize("family", ["methods", "models"])
def test_every_method_and_model_has_its_place_in_the_docs(family):
    from anonagram import Method, PrivacyModel

    page = (ROOT / f"docs/{family}.md").read_text(encoding="utf-8")
    for name in {"methods": Method, "models": PrivacyModel}[family].known():
        assert f"`{name}(" in page, f"docs/{family}.md does not tell of {name}"


def test_the_readme_shows_the_people_of_the_demo(folder):
    """The same people before and after, by their values."""
    from anonagram.cli.demo import story

    _, before, after = story(folder)
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    for frame in (before, *after.values()):
        head = f"{_row(frame.columns)}\n{'|---' * frame.width}|\n"
        shown = head + "".join(f"{_row(row)}\n" for row in frame.rows())
        if UPDATE:
            text = re.sub(
                rf"^{re.escape(head)}(\|.*\n)*", lambda _, new=shown: new, text, flags=re.M
            )
        assert f"\n{shown}\n" in text
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert (
        f"{before['name'][0].split()[0]} is {before['age'][0]} and lives in {before['zip'][0]}"
        in text
    )


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_continuous_integration_runs_the_test_command_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\nscripts/test\n" in readme
    assert "scripts/test" in (ROOT / ".ci/run").read_text()
