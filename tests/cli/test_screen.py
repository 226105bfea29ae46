r"""What others wrote is shown, and never obeyed: hostile names and values in all commands."""

from __future__ import annotations

import ast
import contextlib
import fcntl
import json
import os
import pty
import random
import re
import struct
import subprocess
import sys
import termios
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import anonagram.cli
from anonagram import Release
from anonagram.cli import screen
from anonagram.shown.visible import visible
from tests.inside import Done, run_inside

HOSTILE = [
    "\x1b[31mred", "\x1b[2J\x1b[H", "\x1b]0;owned\x07", "\x1b]8;;http://x\x1b\\link", "\x1b]52;c;cm0=\x07",
    "\x9b31m", "\x9d0;owned\x9c", "\x90q\x9c", "a\x08\x08b", "a\rb", "tab\there", "\x7f", "bell\x07",
    "\x0b\x0c", "\x1c\x1d\x1e\x1f", "\x85next", "\u202egro", "\u2066x\u2069", "\u200fx", "\u061cx",
    "\u2028line", "\u2029", "\ufeffbom", "zero\u200bwidth", "\U000e0041tag", "[red]x[/red]", "[/]", "[/red]",
    "[bold", "\\[x]", "[link=http://x]y[/link]", ":smile:", "{task}", "{0}", "%s%n", "two\nlines",
    "caf\u00e9 \u0646\u0645\u06cc\u200c\u062e", "'; DROP TABLE data; --", 'say "x"', "$(id)", "`id`", "a=b",
]  # fmt: skip
ALLOWED = re.compile(
    r"[^\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]*"
)
ROWS = 40


def assert_harmless(done: Done, words: object) -> None:
    assert done.returncode in (0, 1, 2, 4), (words, done.text)
    assert ALLOWED.fullmatch(done.text), (words, done.text)
    assert "Traceback" not in done.text, (words, done.text)


def toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def rule(name: str, role: str) -> str:
    """A line of a schema; some of the hostile texts are addresses, which are published on purpose."""
    return f'{toml(name)} = {{ role = "{role}", holds = "web addresses" }}'


@pytest.fixture(params=range(4))
def names(request) -> list[str]:
    """Names of columns: three known, a number, and a sensitive one."""
    draw = random.Random(request.param)
    return [f"{text}{place}" for place, text in enumerate(draw.sample(HOSTILE, 5))]


@pytest.fixture
def here(tmp_path, monkeypatch, names) -> Path:
    monkeypatch.chdir(tmp_path)
    one, two, three, number, sensitive = names
    draw = random.Random(names[0])
    table = pl.DataFrame(
        {
            one: [draw.choice(HOSTILE) for _ in range(ROWS)],
            two: [draw.choice(HOSTILE[:6]) for _ in range(ROWS)],
            three: [draw.choice([None, *HOSTILE[16:20]]) for _ in range(ROWS)],
            number: [draw.randrange(30) for _ in range(ROWS)],
            sensitive: [HOSTILE[i % 9] for i in range(ROWS)],
        }
    )
    table.write_parquet("data.parquet")
    roles = dict.fromkeys(names, "quasi") | {sensitive: "sensitive"}
    Path("schema.toml").write_text("[columns]\n" + "\n".join(map(rule, roles, roles.values())))
    roles = dict.fromkeys(names, "drop") | {number: "quasi", two: "plain"}
    lines = list(map(rule, roles, roles.values()))
    Path("numbers.toml").write_text("[columns]\n" + "\n".join(lines))
    record = {number: table[number][0], two: table[two][0], sensitive: HOSTILE[0]}
    Path("record.json").write_text(json.dumps(record))
    return tmp_path


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def anonymize(method: str, folder: str, *more: str, schema: str = "schema.toml") -> list[str]:
    return [
        "anonymize", "data.parquet", "--schema", schema, "--method", method, "-o", folder, "--force", *more,
    ]  # fmt: skip


METHODS = ["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)", "random()"]


def test_every_command_shows_hostile_names_and_values(here, names):
    one, two, three, _, sensitive = names
    masked = anonymize("rank_swapping(p=20)", "masked", "--private", "p", schema="numbers.toml")
    commands = [
        ["inspect", "data.parquet", "--write-schema", "new.toml"],
        *[anonymize(call, call[:4]) for call in METHODS],
        masked,
        ["audit", "data.parquet", "masked", "--private", "p", "--schema", "numbers.toml", "--random", "100"],
        ["check", "anat"],
        ["check", "perm", "--model", "l_diversity(l=30)", "--model", "k_anonymity(k=30)"],
        ["measure", "perm", "--original", "data.parquet"],
        ["measure", "rand", "--original", "data.parquet"],
        ["measure", "masked", "--original", "data.parquet"],
        ["workload", "anat", "--original", "data.parquet", "--queries", "10", "--conditions", "2"],
        ["rules", "anat", "--original", "data.parquet", "--support", "0.02"],
        *[["verify", folder, "--record", "record.json"] for folder in ("anat", "rand", "masked")],
    ]  # fmt: skip
    for words in commands:
        assert_harmless(done := run_inside(*words), words)
        assert done.returncode != 2, (words, done.text)
    for group in (one, two, three, sensitive):
        sql = f"SELECT {quoted(group)}, COUNT(*) FROM data GROUP BY {quoted(group)}"
        for folder in ("anat", "perm", "gene", "rand"):
            assert_harmless(run_inside("query", folder, sql), sql)
            assert_harmless(run_inside("query", folder, sql, "--explain"), sql)


def test_json_keeps_names_and_values(here, names):
    assert run_inside(*anonymize("anatomy(l=2)", "release")).returncode == 0
    one = names[0]
    for words in (
        ["inspect", "data.parquet", "--json"],
        ["check", "release", "--json"],
        ["query", "release", f"SELECT {quoted(one)}, COUNT(*) FROM data GROUP BY 1", "--json"],
        ["verify", "release", "--record", "record.json", "--json"],
    ):
        done = run_inside(*words)
        assert_harmless(done, words)
        json.loads(done.stdout)
    profile = json.loads(run_inside("inspect", "data.parquet", "--json").stdout)
    assert [column["name"] for column in profile["columns"]] == names


@pytest.mark.parametrize("names", [0], indirect=True)
@pytest.mark.parametrize("text", ["".join(HOSTILE[start::7]) for start in range(7)])
def test_errors_show_hostile_words(here, text):
    assert run_inside(*anonymize("anatomy(l=2)", "release")).returncode == 0
    Path("bad.toml").write_text(f"[columns]\n{toml(text)} = {toml(text)}")
    Path("record.csv").write_text(f"{text}\n{text}\n")
    name = text.replace("/", "_")
    for words in (
        [text], [f"--{text}"], ["inspect", text], ["inspect", "a", text], ["inspect", f"--{text}"],
        ["inspect", f"sqlite:///{text}?table={text}"], ["inspect", f"{text}://{text}"],
        ["anonymize", "data.parquet", "--schema", "bad.toml", "--method", "anatomy(l=2)", "-o", "x"],
        ["anonymize", "data.parquet", "--schema", text, "--method", "anatomy(l=2)", "-o", "x"],
        anonymize(text, "x"), anonymize(f"anatomy(l={text!r})", "x"), anonymize(f"anatomy({text}=1)", "x"),
        anonymize("anatomy(l=2)", "x", "--key", text), anonymize("anatomy(l=2)", "x", "--format", text),
        anonymize("anatomy(l=2)", f"out {name}"), ["check", f"out {name}"],
        ["check", text], ["check", "release", "--model", text],
        ["query", "release", text], ["query", "release", f"SELECT {text} FROM data"],
        ["query", "release", f"SELECT COUNT(*) FROM {quoted(text)}"],
        ["query", "release", f"SELECT SUM({quoted(text)}) FROM data"],
        ["query", "release", "SELECT COUNT(*) FROM data", "--engine", text],
        ["load", "release", f"postgresql://{text}@127.0.0.1:1/{text}?schema={text}"],
        ["verify", "release", "--set", f"{text}=1"], ["verify", "release", "--set", text],
        ["verify", "release", "--record", "record.csv"],
        ["audit", text, text],
        ["tune", "data.parquet", "--schema", "schema.toml", "--method", text, "--withstands"],
        ["workload", "release", "--original", text],
        ["workload", "release", "--original", "x", "--seed", text],
        ["rules", "release", "--original", text], ["measure", text, "--original", text],
    ):  # fmt: skip
        assert_harmless(run_inside(*words), words)


@pytest.mark.parametrize("names", [2], indirect=True)
def test_a_forged_manifest_cannot_steer_the_terminal(here, names):
    """A bundle comes from somebody else, and so do its texts."""
    assert run_inside(*anonymize("anatomy(l=2)", "release")).returncode == 0
    release = Release.read("release")
    manifest = release.manifest
    for evil in HOSTILE[:12]:
        claims = tuple(replace(claim, model=evil) for claim in manifest.claims)
        for texts in ({"method": evil}, {"claims": claims}, {"risk": {evil: 0.5}}):
            replace(release, manifest=replace(manifest, **texts)).write(Path("forged"), force=True)
            for words in (
                ["check", "forged"],
                ["check", "forged", "--model", "k_anonymity(k=2)"],
                ["measure", "forged", "--original", "data.parquet"],
                ["verify", "forged", "--record", "record.json"],
            ):
                assert_harmless(run_inside(*words), words)


def test_markup_is_shown_as_it_is_written(capsys):
    screen.print_table("[red]t[/red]", ["[b]c"], [["[/]"], ["[red]x[/red]"], [":smile:"]])
    screen.say("[red]said[/red]")
    shown = capsys.readouterr().out
    for text in ("[red]t[/red]", "[b]c", "[/]", "[red]x[/red]", ":smile:", "[red]said[/red]"):
        assert text in shown


@pytest.mark.parametrize("names", [1], indirect=True)
def test_on_a_terminal_only_our_own_codes_are_sent(here, names):
    """With colours and progress: codes of Rich, and none of the table's."""
    command = [sys.executable, "-m", "anonagram", *anonymize("anatomy(l=2)", "\x1b]0;owned\x07")]
    command[command.index("data.parquet")] = "\x1b[5mdata"
    Path("data.parquet").rename("\x1b[5mdata")
    shown = on_terminal(command) + on_terminal([*command[:3], "inspect", "\x1b[5mdata"])
    assert visible("\x1b]0;owned\x07") in shown
    ours = re.compile(r"\x1b\[[0-9;]*[mAGJKFhl]|\x1b\[\?25[hl]|[\r\n]")
    rest = ours.sub("", shown)
    assert ALLOWED.fullmatch(rest), rest
    assert "\x1b[5m" not in shown
    assert "\x1b[31m" not in shown


def on_terminal(command: list[str]) -> str:
    main, side = pty.openpty()
    with subprocess.Popen(command, stdout=side, stderr=side, close_fds=True) as process:
        os.close(side)
        shown = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            shown += part
        process.wait()
    os.close(main)
    assert process.returncode == 0, shown
    return shown.decode()


def test_commands_print_through_the_screen_only():
    """One file knows how to print; whatever prints beside it would have to escape by itself."""
    folder = Path(anonagram.cli.__file__).parent
    for path in folder.glob("*.py"):
        if path.name == "screen.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "input", "typer.echo", "typer.secho"), path
                assert not called.endswith(("Console", "print_exc", "console")), path
            if isinstance(node, ast.ImportFrom | ast.Import):
                assert "rich" not in ast.unparse(node).split(), path


def on_narrow_terminal(columns: int, *words: str) -> str:
    """What a command prints on a terminal with so many columns, without its colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        [sys.executable, "-m", "anonagram", *words], stdin=theirs, stdout=theirs,
        stderr=subprocess.DEVNULL, env=environment | {"TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(theirs)
        printed = b""
        # a terminal whose last writer is gone ends with an error
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 1 << 16):
                printed += chunk
    os.close(ours)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed.decode()).replace("\r\n", "\n")


def test_nothing_is_wider_than_a_terminal_of_80_columns(tmp_path):
    told = on_narrow_terminal(80, "demo", os.path.relpath(tmp_path / "demo"))
    table = str(tmp_path / "demo" / "hospital.csv")
    release = str(tmp_path / "demo" / "release")
    who = ("--set", "age=64", "--set", "sex=M")
    printed = {
        "demo": told,
        "help": on_narrow_terminal(80, "--help"),
        "inspect": on_narrow_terminal(80, "inspect", table),
        "verify": on_narrow_terminal(80, "verify", release, *who),
        "measure": on_narrow_terminal(80, "measure", release, "--original", table),
    }
    for name, text in printed.items():
        wide = [
            line for line in text.split("\n")
            if len(line) > 80 and "anonagram " not in line and str(tmp_path.name) not in line
        ]  # fmt: skip
        assert wide == [], name
    assert "..." not in printed["help"].split("Commands:")[1]
    assert "identifi…" not in printed["inspect"]
