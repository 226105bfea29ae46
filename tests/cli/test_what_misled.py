"""What once comforted people who were not safe: the command that did, on the hospital's table, and what
it says now. Each test's first line is what was said before."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

ROWS = 3000
KNOWN = ("race", "gender", "age", "admission_type_id", "time_in_hospital", "medical_specialty")
SCHEMA = "[columns]\n" + "".join(
    f'{name} = {{ role = "quasi", kind = "nominal" }}\n' if name.endswith("id") else f'{name} = "quasi"\n'
    for name in KNOWN
) + 'diag_1 = "sensitive"\n'  # fmt: skip
ANATOMY = ("--method", "anatomy(l=4)", "--key", "key.txt")


@pytest.fixture(scope="module")
def folder(real_data, tmp_path_factory):
    place = tmp_path_factory.mktemp("misled")
    path = real_data("hospital/first_encounters.csv")
    whole = pl.read_csv(path, infer_schema=False)
    table = whole.gather_every(whole.height // ROWS).head(ROWS).select(*KNOWN, "diag_1")
    table.write_csv(place / "people.csv")
    (place / "people.toml").write_text(SCHEMA)
    (place / "key.txt").write_text("5a" * 32)
    return place


@pytest.fixture(scope="module")
def run(anonagram, folder):
    return lambda *words: anonagram(*words, cwd=folder)


@pytest.fixture(scope="module")
def published(run):
    """What `anonymize` prints; the release is in the folder `release`."""
    words = ("anonymize", "people.csv", "--schema", "people.toml", *ANATOMY, "-o", "release")
    done = run(*words, "--private", "release.private")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def taxes(tmp_path_factory):
    """Incomes, and a tax that grows with them."""
    place = tmp_path_factory.mktemp("taxes")
    random = np.random.default_rng(5)
    income = np.round(np.exp(random.normal(10.3, 0.6, ROWS))).astype(int)
    tax = np.round(0.3 * income + random.normal(0, 20, ROWS)).astype(int)
    age = random.integers(18, 80, ROWS)
    pl.DataFrame({"age": age, "income": income, "tax": tax}).write_csv(place / "taxes.csv")
    roles = 'age = "quasi"\nincome = "quasi"\ntax = "sensitive"\n'
    (place / "taxes.toml").write_text(f"[columns]\n{roles}")
    return place


def with_column(folder, name, values, rule='"quasi"'):
    """The table with one more column, and its schema."""
    table = pl.read_csv(folder / "people.csv", infer_schema=False)
    table.with_columns(pl.Series(name, values)).write_csv(folder / f"{name}.csv")
    (folder / f"{name}.toml").write_text(f"{SCHEMA}{name} = {rule}\n")
    return "anonymize", f"{name}.csv", "--schema", f"{name}.toml"


def test_somebody_who_learns_is_right_more_often_than_the_group_says(published):
    """'Guesses the diagnosis with probability 25 % at best.'"""
    first = published.splitlines()[0]
    learned, group = re.search(
        r"guesses (\d+)% of .* by the group alone it is (\d+)%", first
    ).groups()
    assert int(learned) > int(group)
    assert "at best" not in published


def test_people_who_look_alike_are_counted_not_groups(run, published):
    """'✓ k_anonymity(k=4) holds', where most rows were the only ones of their kind."""
    done = run("check", "release", "--model", "k_anonymity(k=4)")
    assert done.returncode == 1
    assert "✗ k_anonymity(k=4) does not hold; achieved 1" in done.stdout
    assert "What this release promises is l_diversity(l=4)" in done.stdout
    assert "Weakest rows" not in done.stdout  # five lines of ones named nobody


def test_a_shuffled_copy_does_not_withstand(run, folder):
    """'It withstands: 0 linked', of the table itself in another order."""
    pl.read_csv(folder / "people.csv").sample(fraction=1, shuffle=True, seed=3).write_csv(
        folder / "moved.csv"
    )
    done = run("audit", "people.csv", "moved.csv")
    assert done.returncode == 1
    assert done.stdout.startswith("It does NOT withstand")


def test_no_interval_is_printed_that_was_not_measured(run, published):
    """'62.8 ± 2.1', which held the truth in 34 to 53 % of cells."""
    question = "SELECT age, COUNT(*) FROM data WHERE diag_1 = '428' GROUP BY age"
    told = run("query", "release", question).stdout
    assert "±" not in told
    assert "95 %" not in told
    assert "The truth lies between lower and upper" in told
    answers = json.loads(run("query", "release", question, "--json").stdout)
    assert "deviation_over_matchings" in answers[0]["COUNT(*)"]


def test_groups_are_of_close_rows_unless_said_otherwise(published):
    """Groups by value alone, whose cells were off by 15 to 19 %, were recommended."""
    assert 'anatomy(l=4, partition="neighbours")' in published


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("comment", lambda i: "wife Anna called 617-555-0134" if i % 9 == 0 else "fine"),
        ("phone2", lambda i: f"617-555-{i:04}"),
        ("insurance_number", lambda i: str(4_000_000_000 + i * 7919)),
    ],
)
def test_personal_data_is_not_published_by_mistake(run, folder, name, value):
    """Proposed as quasi, and published."""
    words = with_column(folder, name, [value(i) for i in range(ROWS)])
    done = run(*words, *ANATOMY, "-o", "personal")
    assert done.returncode == 2
    assert f"column '{name}' seems to hold" in done.stderr
    assert "holds = " in done.stderr
    assert not (folder / "personal").exists()
    shown = json.loads(run("inspect", f"{name}.csv", "--json").stdout)["columns"]
    assert next(each["role"] for each in shown if each["name"] == name) in ("identifier", "drop")


def test_the_first_row_that_shows_personal_data_is_named(run, folder):
    """'Row 7', the first with the value that comes first in the alphabet."""
    texts = ["fine"] * ROWS
    texts[4], texts[6] = "wife Zoe called 617-555-0134", "aunt Ada called 617-555-0135"
    words = with_column(folder, "remark", texts)
    assert "remark.csv, row 5: " in run(*words, *ANATOMY, "-o", "personal").stderr


@pytest.mark.parametrize("mark", ["?", "NA", "-9"])
def test_a_code_for_missing_is_not_published_without_a_word(run, folder, mark):
    """Nothing: ? was a race like any other."""
    weeks = [mark if i % 50 == 0 else str(i % 7) for i in range(ROWS)]
    done = run(*with_column(folder, "weeks", weeks), *ANATOMY, "-o", "marked", "--force")
    remedy = f'missing = ["{mark}"]'
    assert (
        f"Warning: weeks.csv: '{mark}' of weeks seems to stand for a missing value" in done.stdout
    )
    assert f"{remedy} in the schema" in done.stdout
    labelled = f'{{ role = "quasi", labels = {{ "{mark}" = "not asked" }} }}'
    for rule in (f'{{ role = "quasi", {remedy} }}', labelled):
        words = with_column(folder, "weeks", weeks, rule)
        done = run(*words, *ANATOMY, "-o", "marked", "--force", "--json")
        assert json.loads(done.stdout)["notes"] == []


def test_who_has_no_schema_is_told_how_to_come_by_one(run, folder):
    """'Missing option --schema', and nothing to type."""
    done = run("anonymize", "people.csv", "--method", "anatomy(l=4)", "-o", "nothing")
    assert done.returncode == 2
    tried = "anonagram inspect people.csv --write-schema roles.toml"
    assert f"  Try: {tried}\n" in done.stderr
    assert run(*tried.split()[1:]).returncode == 0
    assert (folder / "roles.toml").exists()


def test_a_second_release_is_held_against_the_first(run, folder, published):
    """Nothing: intersecting January and February left one diagnosis for 14 % of people."""
    pl.read_csv(folder / "people.csv", infer_schema=False).head(2500).write_csv(folder / "more.csv")
    words = ("anonymize", "more.csv", "--schema", "people.toml", "--method", "anatomy(l=4)")
    refused = run(*words, "-o", "again", "--key", "release.private")
    assert refused.returncode == 2
    assert "private file of a release of another table" in refused.stderr
    done = run(*words, "-o", "again", "--key", "key.txt", "--previous", "release")
    assert re.search(r"Warning: together with release: [\d,]+ of 2,500 people", done.stdout)


def test_a_person_is_told_first_what_stands_open(run, published):
    """'You can be in one group', and nothing of the rows that anybody can read."""
    done = run("verify", "release", "--set", "gender=Female", "--set", "age=[20-30)")
    assert re.match(
        r"With gender and age alone [\d,]+ rows can be yours; they also show race", done.stdout
    )
    assert "well hidden" not in done.stdout


def test_a_rare_diagnosis_that_becomes_likely_is_named(run, folder, published):
    """'You are well hidden', at 0.1 % that became 8.3 %."""
    table = pl.read_csv(folder / "people.csv", infer_schema=False)
    rare = table.filter(pl.len().over("diag_1") == 1).drop_nulls().row(0, named=True)
    words = [word for name, value in rare.items() for word in ("--set", f"{name}={value}")]
    told = run("verify", "release", *words).stdout
    assert re.search(r"is \d+ times as likely for you as for anybody \(0\.03% before", told)


@pytest.mark.parametrize("method", ["anatomy(l=4)", "generalize(l=4)", "rank_swapping(p=5)"])
def test_a_column_is_published_coarser_than_it_is_read(run, folder, method):
    """Every day and every zip, whatever hierarchy the schema had."""
    days = [f"2008-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(ROWS)]
    words = with_column(folder, "admitted", days, '{ role = "quasi", publish = "month" }')
    done = run(*words, "--method", method, "-o", "coarse", "--format", "csv", "--force")
    assert done.returncode == 0, done.stderr
    manifest = (folder / "coarse/datapackage.json").read_text(encoding="utf-8")
    assert "the first day of a month stands for all of it" in manifest
    tables = "".join(path.read_text() for path in (folder / "coarse").glob("*.csv"))
    assert set(re.findall(r"2008-\d\d-(\d\d)", tables)) == {"01"}


def test_replaced_values_are_headed_by_what_an_informed_intruder_guesses(run, folder):
    """'achieved 5616.03', where an informed intruder guessed 99.99 % of the rows."""
    words = ("anonymize", "people.csv", "--schema", "people.toml", "--method", "random()")
    first = run(*words, "-o", "random", "--key", "key.txt").stdout.splitlines()[0]
    assert re.search(r"guesses the origin of \d+% of the rows right", first)


def test_a_column_that_tells_the_secret_is_refused(run, folder):
    """'Highest posterior 0.25', and every diagnosis stood in the column beside it."""
    table = pl.read_csv(folder / "people.csv", infer_schema=False)
    words = with_column(folder, "ward", ("W" + table["diag_1"].fill_null("none")).to_list())
    done = run(*words, *ANATOMY, "-o", "told")
    assert done.returncode == 2
    assert "ward nearly always tells diag_1" in done.stderr
    assert "drop 'ward'" in done.stderr


def test_a_column_that_tells_the_secret_of_a_few_is_named(run, folder):
    """Nothing: the day of death stood beside an outcome, and 120 people's were certain."""
    died = [f"2008-01-{1 + i % 28:02}" if i < 120 else "" for i in range(ROWS)]
    table = pl.read_csv(folder / "people.csv", infer_schema=False).drop("diag_1")
    outcome = ["dead" if i < 120 else ("home", "ward", "moved")[i % 3] for i in range(ROWS)]
    table = table.with_columns(pl.Series("died_on", died), pl.Series("outcome", outcome))
    table.write_csv(folder / "died.csv")
    (folder / "died.toml").write_text(SCHEMA.replace("diag_1", "outcome") + 'died_on = "quasi"\n')
    words = ("anonymize", "died.csv", "--schema", "died.toml", "--method", "anatomy(l=2)")
    told = run(*words, "--key", "key.txt", "-o", "died").stdout.splitlines()[0]
    warning = "Warning: died_on nearly always tells outcome for about 120 people (4.0%)."
    assert told == f"{warning} Drop it, or publish it coarser."
    assert warning in " ".join(run("measure", "died", "--original", "died.csv").stdout.split())


def test_a_share_of_rows_is_no_number_of_them(run):
    """'Rows with unique quasi identifiers: 1', which meant all of them."""
    words = ("anonymize", "people.csv", "--schema", "people.toml", "--key", "key.txt")
    done = run(*words, "--method", "rank_swapping(p=10)", "-o", "masked")
    assert "  share of rows that are the only ones with their quasi-identifiers: 0." in done.stdout


def test_the_better_of_two_estimates_is_taken(run, folder):
    """28 % off when corrected, 3.3 % as it stands, and the corrected one was told."""
    zips = [f"{i * i % 2003:05}" for i in range(ROWS)]
    words = with_column(folder, "zip", zips, '{ role = "quasi", kind = "nominal" }')
    run(*words, "--method", "random()", "--key", "key.txt", "-o", "zips")
    asked = (
        "workload",
        "zips",
        "--original",
        "zip.csv",
        "--conditions",
        3,
        "--queries",
        100,
        "--json",
    )
    told = json.loads(run(*asked).stdout)
    errors = [told[name]["mean"] for name in ("naive_error", "corrected_error")]
    assert told["error"]["mean"] <= 1.05 * min(errors)


def test_many_rows_of_a_person_are_noticed(run, folder):
    """Nothing: somebody with 300 rows is in 300 groups."""
    people = [str(i % 900) for i in range(ROWS)]
    words = with_column(folder, "patient_id", people, '"identifier"')
    done = run(*words, *ANATOMY, "-o", "visits")
    assert (
        "rows are about 900 people (patient_id), and one of them has 4" in done.stdout + done.stderr
    )
    assert "rows_per_person = 1" in run("inspect", "patient_id.csv").stdout


def test_amounts_that_differ_and_are_near_are_told(run, folder):
    """'l_diversity(l=4) achieved 4', of amounts that were one apart."""
    table = pl.read_csv(folder / "people.csv", infer_schema=False).drop("diag_1")
    table = table.with_columns(pl.Series("cost", [100_000 + i // 2 for i in range(table.height)]))
    table.write_csv(folder / "cost.csv")
    (folder / "cost.toml").write_text(SCHEMA.replace("diag_1", "cost"))
    words = ("anonymize", "cost.csv", "--schema", "cost.toml", *ANATOMY, "-o", "costs")
    done = run(*words)
    assert done.returncode == 0, done.stderr
    for told in (done.stdout, run("check", "costs").stdout):
        assert "Amounts that differ may be near" in " ".join(told.split())
        assert "ke_anonymity" in told


@pytest.mark.parametrize("method", ["anatomy(l=4)", "permutation(l=4)"])
def test_amounts_that_are_sorted_inside_groups_are_told_first(anonagram, taxes, method):
    """'A chance of up to 25% by the group alone', of a tax that goes with a known income."""
    told = "Somebody who sorts amounts within groups, people by income, finds the exact tax of 9"
    words = (
        "anonymize",
        "taxes.csv",
        "--schema",
        "taxes.toml",
        "--method",
        method,
        "-o",
        "release",
    )
    made = anonagram(*words, "--force", cwd=taxes)
    assert made.stdout.startswith(f"Warning: {told}")
    assert "by the group alone; learning" not in made.stdout
    original = ("release", "--original", "taxes.csv")
    assert anonagram("attack", *original, "--no-defend", cwd=taxes).stdout.startswith(
        "rank_matching, "
    )
    report = anonagram("report", *original, "-o", f"{method[:4]}.html", cwd=taxes)
    assert report.stdout.startswith(told)
    assert anonagram("check", *original, cwd=taxes).stdout.startswith(told)
    assert f"• Warning: {told}" in anonagram("measure", *original, cwd=taxes).stdout
    in_json = json.loads(anonagram(*words, "--force", "--json", cwd=taxes).stdout)
    assert in_json["ranked"][0]["found"]["everybody"] > 0.9


def test_check_says_what_takes_long_before_it_begins(monkeypatch, capsys):
    """It was silent for half a minute."""
    from anonagram import Anatomy, Key, Microdata
    from anonagram.cli.check import strongest
    from anonagram.runtime.progress import listening

    table = {"age": list(range(12)), "ill": ["flu", "gout", "cold", "mumps"] * 3}
    data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
    release = Anatomy(2).anonymize(data, Key(bytes(32)))
    strongest(release, data)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("anonagram.learning.strongest.A_CHANCE", 1e-3)
    steps: list[str] = []
    with listening(steps.append):
        monkeypatch.setattr(
            "anonagram.learning.score_strongest", lambda *_: capsys.readouterr().err
        )
        (told,) = strongest(release, data)
    assert told.startswith("Guessing ill with the release, and without it from other people, takes")
    assert "Guessing ill" in steps
