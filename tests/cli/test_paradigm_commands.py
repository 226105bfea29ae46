"""`audit`, `tune` and `verify` as people run them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from anonagram.demo import HOSPITAL_SCHEMA, hospital_table

ROLES = '[columns]\na = "quasi"\nb = "quasi"\nc = "quasi"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("paradigm")
    random = np.random.default_rng(0)
    x = random.normal([100, 1000, 5000], [10, 50, 200], (1000, 3))
    for name, scale in (("x", 0.0), ("weak", 0.005), ("strong", 0.5)):
        y = x + scale * x.std(axis=0) * random.normal(size=x.shape)
        pl.DataFrame(dict(zip("abc", y.T, strict=True))).write_csv(place / f"{name}.csv")
    (place / "roles.toml").write_text(ROLES)
    (place / "key.txt").write_text("07" * 32)
    hospital_table(600).write_csv(place / "hospital.csv")
    (place / "hospital.toml").write_text(HOSPITAL_SCHEMA)
    return place


def test_audit_tells_weak_from_strong_masking(anonagram, folder):
    for name, withstands in (("weak", False), ("strong", True)):
        done = anonagram("audit", "x.csv", f"{name}.csv", "--json", cwd=folder)
        assert done.returncode == (0 if withstands else 1), done.stderr
        found = json.loads(done.stdout)
        assert found["withstands"] is withstands
        assert [each["name"] for each in found["attributes"]] == ["a", "b", "c"]
        assert {"correct", "multiple", "wrong"} <= set(found["linkage"])
        assert sum(found["linkage"][each] for each in ("correct", "multiple", "wrong")) == 1000
        for shares in found["distance_distribution"].values():
            assert sum(shares.values()) == pytest.approx(1)
            assert all(float(d) >= 0 for d in shares)
        assert 0 <= found["hellinger"] <= 1
        assert found["attributes"][0]["residual_noise"]["mean_absolute"] >= 0


def test_audit_in_words_and_as_a_page(anonagram, folder):
    done = anonagram("audit", "x.csv", "weak.csv", "--html", "audit.html", cwd=folder)
    assert done.returncode == 1, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith("It does NOT withstand the attack: the most that an intruder links")
    assert " % of the people" in first
    again = anonagram(
        "audit", "x.csv", "weak.csv", "--html", "audit.html", "--links", "links.csv", cwd=folder
    )
    assert again.returncode == 1, again.stderr
    assert (folder / "links.csv").stat().st_mode & 0o077 == 0
    links = pl.read_csv(folder / "links.csv")
    assert links["record"].to_list() == list(range(1, 1001))
    assert links["is_own"].mean() > 0.95
    assert links["plausible_as_random"].median() < 0.01
    refused = anonagram("audit", "x.csv", "weak.csv", "--links", "links.csv", cwd=folder)
    assert refused.returncode == 2
    assert "exists" in refused.stderr
    (folder / "mine.html").write_text("precious")
    refused = anonagram("audit", "x.csv", "weak.csv", "--html", "mine.html", cwd=folder)
    assert refused.returncode == 2
    assert (folder / "mine.html").read_text() == "precious"
    page = (folder / "audit.html").read_text()
    assert "<svg" in page
    assert "does NOT withstand" in page
    # self-contained: the only addresses are names of namespaces
    assert "<script" not in page
    assert "<link" not in page


@pytest.mark.parametrize("criterion", ["variance", "distinct", "entropy", "closeness"])
def test_every_criterion_of_diversity(anonagram, folder, criterion):
    done = anonagram("audit", "x.csv", "strong.csv", "--criterion", criterion, "--json", cwd=folder)
    found = json.loads(done.stdout)
    assert [each["criterion"] for each in found["permuted_privacy"]] == [criterion] * 2
    assert [each["view"] for each in found["permuted_privacy"]] == ["protector", "subject"]


def test_audit_of_a_release_needs_its_private_file(anonagram, folder):
    made = anonagram(
        "anonymize", "hospital.csv", "--schema", "hospital.toml", "--method", "rank_swapping(p=2)",
        "-o", "swapped", "--private", "swapped.private", cwd=folder,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "anonagram audit" in made.stdout
    refused = anonagram("audit", "hospital.csv", "swapped", "--schema", "hospital.toml", cwd=folder)
    assert refused.returncode == 2
    assert "random order" in refused.stderr
    done = anonagram(
        "audit", "hospital.csv", "swapped", "--schema", "hospital.toml", "--json",
        "--private", "swapped.private", cwd=folder,
    )  # fmt: skip
    found = json.loads(done.stdout)
    moved = {each["name"]: each["largest_distance_percent"] for each in found["attributes"]}
    assert max(moved.values()) <= 2
    assert moved["disease"] == 0
    rankings = {each["name"]: each["ranking"] for each in found["attributes"]}
    assert rankings == {
        "age": "value", "sex": "frequency", "zip": "hierarchy", "admitted": "value",
        "disease": "frequency",
    }  # fmt: skip


def test_bad_pairs_end_with_code_2_and_nothing_written(anonagram, folder):
    for words, message in (
        (["x.csv", "weak.csv", "--full", "--records", "5"], "--full looks for everybody"),
        (["x.csv", "nothing.csv"], "no file"),
        (["x.csv", "weak.csv", "--id", "name"], "has no column 'name'"),
        (["x.csv", "weak.csv", "--column", "d"], "no column 'd'"),
        (["x.csv", "weak.csv", "--html", "page.txt"], "written as html"),
        (["x.csv", "weak.csv", "--html", "no/page.html"], "no folder"),
        (["x.csv", "weak.csv", "--private", "x.csv"], "Only a release"),
        (["x.csv", "nothing", "--private", "x.csv"], "no file nothing"),
    ):
        done = anonagram("audit", *words, cwd=folder)
        assert done.returncode == 2, words
        assert message in done.stderr, words
        assert "Try:" in done.stderr
    assert not (folder / "page.txt").exists()


def test_a_shuffled_file_is_never_called_safe(anonagram, folder):
    """It used to say "withstands", and 0 linked, where everybody can be found."""
    random = np.random.default_rng(4)
    x = pl.read_csv(folder / "x.csv")
    for name, codes in (("weak", (1,)), ("strong", (1, 4))):
        masked = pl.read_csv(folder / f"{name}.csv")
        masked[random.permutation(1000)].write_csv(folder / "moved.csv")
        done = anonagram("audit", "x.csv", "moved.csv", cwd=folder)
        assert done.returncode in codes, done.stdout
        assert "It withstands" not in done.stdout
        masked.head(900).write_csv(folder / "short.csv")
        done = anonagram("audit", "x.csv", "short.csv", "--json", cwd=folder)
        assert done.returncode in codes
        assert json.loads(done.stdout)["order"] == "unknown"
    # with an id the order does not matter, and people may be missing
    x.with_row_index("id").write_csv(folder / "ids.csv")
    masked = pl.read_csv(folder / "strong.csv").with_row_index("id")
    masked.head(900)[random.permutation(900)].write_csv(folder / "moved.csv")
    done = anonagram("audit", "ids.csv", "moved.csv", "--id", "id", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("It withstands the attack: the most that an intruder links")
    assert "100 of 1,000 people are not in moved.csv" in done.stdout


def test_a_sample_tells_its_error_and_full_has_none(anonagram, folder):
    words = ("audit", "x.csv", "strong.csv", "--json")
    found = json.loads(anonagram(*words, "--records", 200, cwd=folder).stdout)
    whole = json.loads(anonagram(*words, "--full", cwd=folder).stdout)
    assert (found["records"], whole["records"]) == (200, 1000)
    for part in ("linkage", "likeliest"):
        low, high = found[part]["share_range"]
        assert low < whole[part]["share"] < high
        assert whole[part]["share_range"] == [whole[part]["share"]] * 2
    told = anonagram("audit", "x.csv", "strong.csv", "--records", 200, cwd=folder).stdout
    assert "95 times in a hundred" in told


def test_tune_finds_the_least_that_withstands(anonagram, folder):
    done = anonagram(
        "tune", "x.csv", "--schema", "roles.toml", "--method", "noise", "--withstands", "--keys", 1,
        "--json", "--chart", "curve.png", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert 0.1 < found["least"] < 0.5
    curve = found["curve"]
    assert [trial["value"] for trial in curve] == sorted(trial["value"] for trial in curve)
    assert all(trial["withstands"] == (trial["value"] >= found["least"]) for trial in curve)
    assert found["call"] == f'noise(scale={found["least"]}, columns="quasi")'
    assert (folder / "curve.png").stat().st_size > 1000


def test_tune_tells_its_sample_and_tries_the_least_with_every_key(anonagram, folder):
    words = ("tune", "x.csv", "--schema", "roles.toml", "--method", "noise", "--withstands")
    words = (*words, "--keys", 2)
    found = json.loads(anonagram(*words, "--records", 300, "--json", cwd=folder).stdout)
    assert (found["records"], found["rows"], found["keys"]) == (300, 1000, 2)
    releases = {trial["value"]: trial["releases"] for trial in found["curve"]}
    assert releases[found["least"]] == 2
    assert sum(releases.values()) <= 12, "values are halved, not all tried with every key"
    told = anonagram(*words, "--records", 300, cwd=folder).stdout
    assert "300 of 1,000 people were looked for" in " ".join(told.split())
    assert "drawn at random" not in anonagram(*words, "--full", cwd=folder).stdout


def test_a_column_with_nearly_the_same_name_is_told(anonagram, folder):
    masked = pl.read_csv(folder / "strong.csv").rename({"b": "B", "c": "weight"})
    masked.write_csv(folder / "renamed.csv")
    done = anonagram("audit", "x.csv", "renamed.csv", cwd=folder)
    told = " ".join(done.stdout.split())
    assert "in one table only, left out: B, b, c, weight. Did you mean 'b' of x.csv and 'B'" in told
    found = json.loads(anonagram("audit", "x.csv", "renamed.csv", "--json", cwd=folder).stdout)
    assert found["probably_same"] == [{"original": "b", "masked": "B"}]
    done = anonagram("audit", "x.csv", "renamed.csv", "--schema", "roles.toml", cwd=folder)
    assert done.returncode == 2
    assert "has no column 'b', which x.csv has. It has 'B': did you mean that?" in done.stderr


def test_tune_says_what_stays_in_the_intruders_hands(anonagram, folder):
    (folder / "part.toml").write_text(ROLES.replace('c = "quasi"', 'c = "sensitive"'))
    words = (
        "tune", "x.csv", "--schema", "part.toml", "--method", "rank_swapping", "--withstands",
        "--keys", 1,
    )  # fmt: skip
    done = anonagram(*words, cwd=folder)
    assert done.returncode == 1, done.stderr
    assert "not masked: c" in done.stdout
    done = anonagram(*words, "--column", "a", "--column", "b", "--json", cwd=folder)
    assert json.loads(done.stdout)["least"] > 0


@pytest.mark.parametrize(("words", "message"), [
    (["--method", "noise"], "--withstands"),
    (["--method", "anatomy(l=3)", "--withstands"], "anatomy has no parameter"),
    (["--method", "anatomy"], "anatomy has no parameter"),
    (["--method", "shuffling", "--withstands"], "shuffling has no parameter"),
    (["--method", "nonsense", "--withstands"], "There is no method"),
])  # fmt: skip
def test_what_cannot_be_tuned(anonagram, folder, words, message):
    done = anonagram("tune", "x.csv", "--schema", "roles.toml", *words, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr


def test_verify_by_settings_and_by_file(anonagram, folder):
    anonagram(
        "anonymize", "hospital.csv", "--schema", "hospital.toml", "--method", "anatomy(l=4)",
        "-o", "anatomy", cwd=folder,
    )  # fmt: skip
    person = hospital_table(600).row(5, named=True)
    (folder / "me.json").write_text(json.dumps(person, default=str))
    done = anonagram("verify", "anatomy", "--record", "me.json", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["ignored"]) == {"name", "patient"}
    assert found["beliefs"][0]["own"]["value"] == person["disease"]
    assert found["beliefs"][0]["own"]["probability"] <= 0.25
    assert found["candidates"]["groups"] >= 1
    shown = anonagram("verify", "anatomy", "--set", f"age={person['age']}", cwd=folder)
    assert "What somebody who knows you would believe about disease" in shown.stdout
    for words, message in (
        ([], "no record"),
        (["--set", "aeg=4"], "did you mean 'age'"),
        (["--set", "age=old"], "age is numeric"),
        (["--set", "age"], "sets no column"),
        (["--record", "none.csv"], "cannot be read"),
        (["--set", "disease=Flu"], "Nothing is given"),
    ):
        refused = anonagram("verify", "anatomy", *words, cwd=folder)
        assert refused.returncode == 2, words
        assert message in refused.stderr, words


def test_commands_that_do_not_fit_a_masked_release_say_so(anonagram, folder):
    anonagram(
        "anonymize", "x.csv", "--schema", "roles.toml", "--method", "noise()", "-o", "noisy",
        "--no-page", "--key", "key.txt", cwd=folder,
    )  # fmt: skip
    assert not (folder / "noisy" / "verify.html").exists()
    for words, message in (
        (["check", "noisy"], "claims nothing"),
        (["query", "noisy", "SELECT COUNT(*) FROM data"], "have no bounds"),
        (["workload", "noisy", "--original", "x.csv"], "have no bounds"),
        (["measure", "noisy", "--original", "x.csv", "--private", "x.csv"], "no groups"),
    ):
        done = anonagram(*words, cwd=folder)
        assert done.returncode == 2, words
        assert message in done.stderr, words
    measured = anonagram("measure", "noisy", "--original", "x.csv", "--json", cwd=folder)
    found = json.loads(measured.stdout)
    assert found["columns"][0]["how"] == "changed"
    assert found["columns"][0]["deviation_ratio"] == pytest.approx(1.02, abs=0.02)
    anonagram("check", "noisy", "--model", "k_anonymity(k=1)", cwd=folder)
