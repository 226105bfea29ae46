"""The command line as a user meets it, good input and bad."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anonagram import Release
from tests.tables import PATIENTS, anatomized

SCHEMA = '[columns]\nname = "identifier"\nage = "quasi"\nsex = "quasi"\ndisease = "sensitive"\n'


@pytest.fixture
def here(tmp_path) -> Path:
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "patients.toml").write_text(SCHEMA)
    return tmp_path


@pytest.fixture
def run(anonagram, here):
    return lambda *words: anonagram(*words, cwd=here)


ANONYMIZE = (
    "anonymize",
    "patients.csv",
    "--schema",
    "patients.toml",
    "--method",
    "anatomy(l=3)",
    "-o",
    "release",
)


def test_from_table_to_checked_release(run, here):
    done = run(*ANONYMIZE, "--private", "private", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "l_diversity(l=3) achieved 3" in done.stdout
    assert done.stderr == ""
    checked = run("check", "release", "--json")
    assert checked.returncode == 0
    (finding,) = json.loads(checked.stdout)
    assert finding["model"] == "l_diversity(l=3)"
    assert finding["holds"] is True
    assert finding["achieved"] == 3
    assert finding["worst"]
    assert (here / "private").stat().st_mode & 0o777 == 0o600


def test_check_exit_codes(run):
    run(*ANONYMIZE)
    weak = run("check", "release", "--model", "l_diversity(l=3)", "--model", "k_anonymity(k=4)")
    assert weak.returncode == 1
    assert "✓ l_diversity(l=3)" in weak.stdout
    assert "✗ k_anonymity(k=4)" in weak.stdout
    assert "Weakest" not in weak.stdout  # nothing names rows that are equal to no other
    assert run("check", "nothing").returncode == 2
    assert run("check", "release", "--model", "k_anon(k=4)").returncode == 2


def test_a_promise_that_holds_says_what_it_does_not_promise(run):
    run(*ANONYMIZE)
    twice = ("--model", "l_diversity(l=3)", "--model", "distinct_l_diversity(l=2)")
    checked = run("check", "release", *twice).stdout
    assert checked.count("Not promised: that nobody guesses better") == 1
    assert "--original DATA" in checked
    known = run("check", "release", *twice, "--original", "patients.csv")
    assert known.returncode == 0, known.stderr
    # the worst first: what learners get, then what is promised
    assert known.stdout.startswith("disease: ")
    assert known.stdout.index("of the surest 1%") < known.stdout.index("✓ l_diversity")
    told = json.loads(run("check", "release", "--original", "patients.csv", "--json").stdout)
    assert "guessed right with the release" in told[0]["strongest_known"][0]
    failed = run("check", "release", "--model", "k_anonymity(k=4)").stdout
    assert "Not promised" not in failed


def test_private_file_makes_the_same_bytes_again(run, here):
    run(*ANONYMIZE, "--private", "private")
    again = run(*ANONYMIZE[:-1], "again", "--key", "private")
    assert again.returncode == 0, again.stderr
    for path in (here / "release").iterdir():
        assert path.read_bytes() == (here / "again" / path.name).read_bytes()


def test_key_file(run, here):
    (here / "key.txt").write_text("5a" * 32)
    for name in ("one", "two"):
        assert run(*ANONYMIZE[:-1], name, "--key", "key.txt").returncode == 0
    assert (here / "one/quasi.parquet").read_bytes() == (here / "two/quasi.parquet").read_bytes()


def test_summary_as_json(run):
    summary = json.loads(run(*ANONYMIZE, "--json").stdout)
    assert summary["claims"] == [{"model": "l_diversity(l=3)", "achieved": 3.0}]
    assert {"Reading", "Encoding", "Grouping", "Rearranging", "Writing"} <= set(summary["seconds"])


def bad(here: Path, case: str) -> list[str]:
    """The words of a call that must fail, its files made ready."""
    words = list(ANONYMIZE)
    files = {
        "empty": b"", "binary": b"\x00\x01\x02PNG", "header only": b"name,age,sex,disease\n",
        "one row": b"name,age,sex,disease\nBob,1,M,Flu\n",
        "duplicate header": b"name,age,age,disease\nBob,1,2,Flu\nAl,2,3,Cold\n",
        "not utf-8": b"name,age,sex,disease\nB\xf6b,1,M,Flu\nAl,2,F,Cold\n",
        "all missing": b"name,age,sex,disease\nBob,1,,Flu\nAl,2,,Cold\nIda,3,,Cut\n",
        "all equal": b"name,age,sex,disease\nBob,7,M,Flu\nAl,7,F,Cold\nIda,7,F,Cut\n",
        "ragged": b"name,age,sex,disease\nBob,1,M,Flu\nAl,2,F\nIda,3,F,Cut\n",
    }  # fmt: skip
    if case in files:
        (here / "patients.csv").write_bytes(files[case])
    schemas = {
        "wrong column": SCHEMA.replace("disease", "diseases"),
        "no role": SCHEMA.replace('sex = "quasi"\n', ""),
        "bad role": SCHEMA.replace('"quasi"', '"quazi"'),
        "wrong type": SCHEMA.replace('sex = "quasi"', 'sex = { role = "quasi", kind = "numeric" }'),
        "no sensitive": SCHEMA.replace('"sensitive"', '"quasi"'),
        "no quasi": SCHEMA.replace('"quasi"', '"drop"'),
        "no hierarchy": SCHEMA.replace(
            'age = "quasi"', 'age = { role = "quasi", hierarchy = "a.csv" }'
        ),
    }
    if case in schemas:
        (here / "patients.toml").write_text(schemas[case])
    replaced = {
        "l too large": "anatomy(l=9)",
        "bad method": "anathomy(l=3)",
        "bad value": "anatomy(l=x)",
    }
    words[5] = replaced.get(case, words[5])
    if case == "private inside":
        words += ["--private", "release/private"]
    if case == "bad key":
        (here / "key").write_text("secret")
        words += ["--key", "key"]
    if case == "no file":
        words[1] = "patient.csv"
    return words


@pytest.mark.parametrize(
    ("case", "named"),
    [
        ("empty", "patients.csv is empty"), ("binary", "binary file"), ("header only", "no rows"),
        ("one row", "one row"), ("duplicate header", "'age'"), ("not utf-8", "line 2"),
        ("all missing", "'sex' is missing in every row"), ("all equal", "'age' is '7' in every row"),
        ("ragged", "line 3"), ("wrong column", "did you mean 'disease'"), ("no role", "'sex' has no role"),
        ("bad role", "did you mean 'quasi'"), ("wrong type", "patients.csv, row 1: column 'sex'"),
        ("no sensitive", "sensitive"), ("no quasi", "quasi"),
        ("no hierarchy", "a.csv"), ("l too large", "l = 4 is the largest"),
        ("bad method", "did you mean 'anatomy'"), ("bad value", "whole number"),
        ("private inside", "inside the release"), ("bad key", "openssl"), ("no file", "patients.csv"),
    ],
)  # fmt: skip
def test_bad_input_is_explained_and_writes_nothing(run, here, case, named):
    words = bad(here, case)
    before = sorted(path.name for path in here.iterdir())
    done = run(*words)
    assert done.returncode == 2, done.stdout
    assert named in done.stderr
    assert "Try:" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in here.iterdir()) == before


def test_output_that_exists_is_refused_before_the_work(run, here):
    run(*ANONYMIZE)
    stamp = (here / "release/datapackage.json").stat().st_mtime_ns
    done = run(*ANONYMIZE)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (here / "release/datapackage.json").stat().st_mtime_ns == stamp
    assert run(*ANONYMIZE, "--force").returncode == 0


def test_the_key_of_another_tables_release_is_refused(run, here):
    run(*ANONYMIZE, "--private", "private")
    table = (here / "patients.csv").read_text().splitlines()
    (here / "patients.csv").write_text("\n".join(table[:-3]) + "\n")
    refused = run(*ANONYMIZE[:-1], "other", "--key", "private")
    assert refused.returncode == 2
    assert "release of another table" in refused.stderr
    assert "--force" in refused.stderr
    assert not (here / "other").exists()
    assert run(*ANONYMIZE[:-1], "other", "--key", "private", "--force").returncode == 0


def test_random_releases_are_headed_by_what_an_informed_intruder_guesses(run):
    done = run(*ANONYMIZE[:5], "random()", "-o", "release")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("Somebody who knows how often every combination")


def test_anatomy_is_headed_by_what_can_be_learned(run):
    done = run(*ANONYMIZE, "--json")
    (learned,) = json.loads(done.stdout)["learned"]
    assert learned["column"] == "disease"
    assert 0 <= learned["right"] <= 1
    done = run(*ANONYMIZE, "--force")
    assert done.stdout.splitlines()[0].startswith("Somebody who knows a person's group and learns")


def test_failure_changes_neither_release_nor_private_file(run, here):
    """A file-size limit lets the private file pass and refuses the bundle's tables."""
    run(*ANONYMIZE, "--private", "private")
    before = {p: p.read_bytes() for p in (here / "private", *(here / "release").iterdir())}
    code = (
        "import resource, signal, sys; from anonagram.cli import main;"
        "from anonagram.release import bundle; plain = bundle._write_table\n"
        "def deny(*a, **k):\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))\n"
        "    return plain(*a, **k)\n"
        "bundle._write_table = deny; main()"
    )
    words = [*ANONYMIZE, "--force", "--private", "private"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=here, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "nothing was left behind" in done.stderr
    assert {p: p.read_bytes() for p in before} == before
    assert len(list(here.iterdir())) == 4


@pytest.mark.parametrize(
    "words",
    [
        [*ANONYMIZE, "--private", "patients.csv", "--force"],
        [*ANONYMIZE[:-1], "patients.csv", "--force"],
        ["inspect", "patients.csv", "--write-schema", "patients.csv", "--force"],
        ["demo", "."],
    ],
)
def test_own_files_are_never_overwritten(run, here, words):
    (here / "hospital.csv").write_text("mine")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    done = run(*words)
    assert done.returncode == 2
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_check_of_a_release_that_claims_nothing_is_bad_input(here, run):
    anatomized([1, 1], ["a", "b"]).write(here / "silent")
    done = run("check", "silent")
    assert done.returncode == 2
    assert "claims nothing" in done.stderr


def test_defect_is_told_apart_from_a_promise_that_does_not_hold(here):
    code = (
        "import sys, anonagram.release.release as r; r.Release.open = lambda p: 1 / 0;"
        "sys.argv = ['anonagram', 'check', 'x']; from anonagram.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "please report" in done.stderr


def test_measure(run, here):
    run(*ANONYMIZE[:5], "permutation(l=3)", "-o", "release", "--private", "private")
    plain = json.loads(run("measure", "release", "--original", "patients.csv", "--json").stdout)
    assert plain["posterior"]["most"] <= 1 / 3
    assert plain["presence"] is None
    full = run("measure", "release", "--original", "patients.csv", "--private", "private", "--json")
    measured = json.loads(full.stdout)
    assert measured["presence"]["most"] <= 1
    assert (
        measured["reconstruction"]["error"] >= measured["reconstruction"]["theorem_2_bound"] - 1e-9
    )
    assert measured["ncp"] == plain["ncp"]
    shown = run("measure", "release", "--original", "patients.csv", "--charts", "charts")
    assert "NCP" in shown.stdout
    assert sorted(path.name for path in (here / "charts").iterdir()) == [
        "group_sizes.png",
        "ncp.png",
        "posterior.png",
    ]


def test_measure_with_the_wrong_files(run, here):
    run(*ANONYMIZE, "--private", "one")
    run(*ANONYMIZE[:-1], "other", "--private", "two")
    assert (
        "another release"
        in run("measure", "release", "--original", "patients.csv", "--private", "two").stderr
    )
    PATIENTS.head(5).write_csv(here / "short.csv")
    assert "5 rows" in run("measure", "release", "--original", "short.csv").stderr
    shuffled = PATIENTS.reverse()
    shuffled.write_csv(here / "shuffled.csv")
    words = ("measure", "release", "--original", "shuffled.csv", "--private", "one")
    assert "in the order the release was made from" in run(*words).stderr
    PATIENTS.with_columns(age=PATIENTS["age"] + 1).write_csv(here / "older.csv")
    assert "column 'age'" in run("measure", "release", "--original", "older.csv").stderr
    PATIENTS.drop("age").write_csv(here / "other.csv")
    assert "'age'" in run("measure", "release", "--original", "other.csv").stderr


def test_inspect_proposes_and_writes_a_schema_that_works(run, here):
    done = run("inspect", "patients.csv", "--write-schema", "new.toml")
    assert done.returncode == 0, done.stderr
    assert "Share of rows that are unique" in done.stdout
    text = (here / "new.toml").read_text()
    assert 'name = "identifier"' in text
    assert 'disease = "sensitive"  # about health; l can be at most 4' in text
    made = run(
        "anonymize", "patients.csv", "--schema", "new.toml", "--method", "anatomy(l=2)", "-o", "r"
    )
    assert made.returncode == 0, made.stderr
    assert run("inspect", "patients.csv", "--write-schema", "new.toml").returncode == 2


def test_inspect_as_json(run):
    profile = json.loads(run("inspect", "patients.csv", "--json").stdout)
    assert profile["rows"] == 9
    assert {"name", "role", "reason", "kind", "distinct", "missing"} <= set(profile["columns"][0])
    assert profile["uniqueness"][-1]["unique_rows"] == 9


def test_demo_tells_the_whole_story(run, here):
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert "Before" in done.stdout
    assert "✓ l_diversity(l=4) holds" in done.stdout
    assert Release.read(here / "anonagram-demo/release").manifest.rows.original == 3000
    assert run("demo").returncode == 0, "a second run replaces the first"


def test_what_the_demo_says_to_try_works(run, here):
    lines = run("demo").stdout.split("Try next:")[1].replace("\\\n", " ").strip().splitlines()
    assert len(lines) >= 3
    for line in lines:
        done = subprocess.run(
            line.strip().replace("anonagram", f"{sys.executable} -m anonagram", 1),
            shell=True, cwd=here, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (line, done.stderr)


@pytest.mark.parametrize("command", ["inspect", "anonymize", "check", "measure", "demo"])
def test_every_command_helps_with_an_example(run, command):
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Example: anonagram {command}" in done.stdout


def test_version(run):
    assert run("--version").stdout.startswith("anonagram 0.")


def test_progress_is_shown_on_a_terminal_only(here):
    """Standard error is a terminal: steps appear there; standard output stays clean."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "anonagram", *ANONYMIZE, "--json"]
    done = subprocess.run(command, cwd=here, stdout=subprocess.PIPE, stderr=follower, check=True)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert any(step in shown for step in ("Reading", "Grouping", "Writing", "Starting"))
    assert json.loads(done.stdout)


def test_output_that_nobody_takes_is_not_a_result(run, here):
    """A closed pipe, a full disk and a closed stream: never exit code 1, which means a broken promise."""
    run(*ANONYMIZE)
    check = f"{sys.executable} -m anonagram check release"
    for ending, expected in (
        ("| true; exit ${PIPESTATUS[0]}", 141),
        ("> /dev/full", 2),
        (">&-", 0),
    ):
        done = subprocess.run(
            ["bash", "-c", f"{check} {ending}"], cwd=here, capture_output=True, check=False
        )
        assert done.returncode == expected, ending
    latin = subprocess.run(
        ["bash", "-c", f"PYTHONIOENCODING=latin-1 {sys.executable} -m anonagram inspect patients.csv"],
        cwd=here, capture_output=True, check=False,
    )  # fmt: skip
    assert latin.returncode == 0


@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signal_in_the_middle_of_writing_leaves_nothing(here, ending):
    code = (
        "import os, signal, sys; from anonagram.cli import main; from anonagram.release import bundle;"
        f"kill = lambda *a: os.kill(os.getpid(), signal.{ending}) or __import__('time').sleep(9);"
        "bundle._write_table = kill; main()"
    )
    words = [*ANONYMIZE, "--private", "private"]
    before = sorted(path.name for path in here.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=here, capture_output=True, check=False
    )
    assert done.returncode not in (0, 1, 2) or ending == "SIGINT"
    assert sorted(path.name for path in here.iterdir()) == before


def test_private_file_inside_a_release_is_noticed(run, here):
    run(*ANONYMIZE, "--private", "private")
    (here / "private").rename(here / "release" / "notes")
    done = run("check", "release")
    assert done.returncode == 2
    assert "can undo the release" in done.stderr


def test_help_does_not_load_heavy_libraries():
    script = (
        "import sys; sys.argv = ['anonagram', '--help']\n"
        "from anonagram.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'polars', 'numba', 'duckdb', 'scipy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_help_table_is_in_the_bundle_or_refused_before_the_work(run, here):
    ages = (here / "patients.toml").read_text().replace('age = "quasi"', 'age = "sensitive"')
    (here / "ages.toml").write_text(ages.replace('disease = "sensitive"', 'disease = "quasi"'))
    words = ("anonymize", "patients.csv", "--schema", "ages.toml", "--help-table", "--method")
    done = run(*words, "ke(k=3, e=10)", "-o", "release", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "ke_anonymity(k=3, e=10) achieved" in done.stdout
    assert (here / "release" / "help.csv").read_text().startswith("group,hits,count_low")
    refused = run(*words, "permutation(l=2)", "-o", "other")
    assert refused.returncode == 2
    assert "does not publish exact rows" in refused.stderr
    assert not (here / "other").exists()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("ke(k=30, e=10)", ["age has 8 different values", "k = 8 is the largest"]),
        ("ke(k=3, e=1000)", ["within 80 of each other", "e = 80 is the largest"]),
        ("ke(k=3, e=-1)", ["e must be a number of at least 0"]),
        ("ke(k=3, e={'pay': 1})", ["no sensitive column 'pay'", "there are: age"]),
        ("ke(k=3, e=1, partition=buckets)", ["no (k,e) partitioner", "min_sum"]),
    ],
)
def test_what_ke_cannot_do_is_said_with_what_it_can(run, here, method, words):
    ages = (here / "patients.toml").read_text().replace('age = "quasi"', 'age = "sensitive"')
    (here / "ages.toml").write_text(ages.replace('disease = "sensitive"', 'disease = "quasi"'))
    done = run("anonymize", "patients.csv", "--schema", "ages.toml", "--method", method, "-o", "no")
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr
    assert not (here / "no").exists()


@pytest.fixture
def replaced(run, here) -> Path:
    done = run(*ANONYMIZE[:5], "random(p=uniform)", "-o", "replaced")
    assert done.returncode == 0, done.stderr
    return here / "replaced"


def test_replaced_values_are_checked_measured_and_asked(run, replaced):
    holds = run("check", replaced, "--original", "patients.csv")
    assert holds.returncode == 0
    assert holds.stdout.startswith("Somebody who knows how often every combination")
    assert "Not promised: that a row's origin is hidden" in holds.stdout
    failed = run("check", replaced, "--model", "gamma_amplification(gamma=1)")
    assert failed.returncode == 1
    assert "does not hold" in failed.stdout
    measured = json.loads(run("measure", replaced, "--original", "patients.csv", "--json").stdout)
    assert measured["probabilistic_anonymity"] > 1
    assert measured["gamma_amplification"] >= 1
    assert 0 < measured["worst_guess"] <= 1
    shown = run("measure", replaced, "--original", "patients.csv")
    assert "guesses a row's origin" in shown.stdout
    question = "SELECT sex, COUNT(*) FROM data WHERE disease = 'Flu' GROUP BY sex"
    asked = run("query", replaced, question, "--json")
    assert asked.returncode == 0, asked.stderr
    for row in json.loads(asked.stdout):
        answer = row["COUNT(*)"]
        low, high = answer["interval"]
        assert answer["lower"] <= low <= high <= answer["upper"]
        assert "naive" in answer
        assert answer["estimate"] == pytest.approx(answer[answer["taken"]])
    assert "95 % interval" in run("query", replaced, question).stdout
    assert "SELECT" in run("query", replaced, question, "--explain").stdout
    nobody = run("query", replaced, "SELECT COUNT(*) FROM data WHERE age > 50 AND sex = 'F'")
    assert nobody.returncode == 2
    assert "In every row at least one of age, sex was replaced" in nobody.stderr


def test_rules_are_counted_by_length(run, replaced, here):
    thresholds = ("--original", "patients.csv", "--support", "0.1", "--confidence", "0.1")
    done = run("rules", replaced, *thresholds, "--chart", "rules.png")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+ of the original's \d+ rules? (is|are) found again \(", done.stdout)
    assert (here / "rules.png").stat().st_size > 0
    found = json.loads(run("rules", replaced, *thresholds, "--json").stdout)
    assert found["lengths"][0]["original"] > 0
    assert (
        "no such rules"
        in run("rules", replaced, "--original", "patients.csv", "--support", "1").stdout
    )
    bad = run("rules", replaced, "--original", "patients.csv", "--support", "7")
    assert bad.returncode == 2


def test_previous_releases_are_held_against_the_new_one(run, here):
    for name in ("one", "two", "three"):
        run(*ANONYMIZE[:-1], name)
    told = run(*ANONYMIZE, "--previous", "one", "--previous", "two", "--json")
    assert told.returncode == 0, told.stderr
    previous = json.loads(told.stdout)["previous"]
    assert previous["folders"] == ["one", "two"]
    assert previous["people_met"] == 9
    left = previous["columns"]["disease"]
    assert left["people"] == sum(line["together"] for line in left["values_left"]) == 9
    assert left["pinned"] >= left["pinned_alone"] == 0
    shown = run(*ANONYMIZE[:-1], "again", "--previous", "three")
    assert "ogether with three: " in shown.stdout
    assert "values of disease are left for how many people" in shown.stdout
    assert "previous" not in json.loads(run(*ANONYMIZE[:-1], "plain", "--json").stdout)


@pytest.mark.parametrize("damage", ["missing", "masked"])
def test_previous_release_that_cannot_be_compared_writes_nothing(run, here, damage):
    if damage == "masked":
        run(*ANONYMIZE[:-4], "--method", "rank_swapping(p=20)", "-o", "masked")
    done = run(*ANONYMIZE, "--previous", damage)
    assert done.returncode == 2
    assert ("no release at missing" if damage == "missing" else "is not compared") in done.stderr
    assert not (here / "release").exists()
