"""A report on a release: what is promised, what intruders got and what to do, on the first screen."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata, Permutation, RankSwapping
from anonagram.attacks import Attack, Target
from anonagram.attacks.aligned.published import aligned_with
from anonagram.attacks.figures.shares import percent
from anonagram.cli.report import make_report
from anonagram.present import document_of, page
from anonagram.present.sections import Mood
from anonagram.reports import report_on

TABLE = {
    "age": [20 + i % 37 for i in range(120)],
    "ward": ["<b>A</b>", "B", "C"] * 40,
    "pay": [100 * (i % 8) for i in range(120)],
}
ROLES = {"age": "quasi", "ward": "quasi", "pay": "sensitive"}


@pytest.fixture(scope="module")
def data() -> Microdata:
    return Microdata.read(TABLE, ROLES)


def test_without_the_original_nothing_is_good(data):
    report = report_on(Anatomy(2).anonymize(data, Key(bytes(32))))
    shown = document_of(report)
    assert shown.mood is Mood.UNSURE
    assert "was not tried" in shown.headline
    assert any("l_diversity(l=2)" in each for each in shown.told)
    assert any(each.startswith("To do: give the original") for each in shown.told)


def test_the_first_screen_says_who_got_more_than_he_should(data):
    report = report_on(Anatomy(2).anonymize(data, Key(bytes(32))), data)
    shown = document_of(report)
    assert report.attacks.broken
    assert shown.mood is Mood.BAD
    names = [each.attack.call for each in report.attacks.broken]
    assert any(all(name in each for name in names) for each in shown.told)
    assert any(
        each.startswith("The belief that somebody is in the table who is, on average: 100.0%, ")
        for each in shown.told
    )
    titles = " ".join(section.title for section in shown.sections)
    for part in ("What was published", "checked", "not promised", "intruders got", "manifest"):
        assert part in titles
    written = page(shown)
    assert "<b>A</b>" not in written
    assert "http://" not in written.replace("http://www.w3.org", "")
    assert report.to_dict()["promises"][0]["holds"]


def test_who_is_in_the_table_is_one_figure_wherever_it_stands():
    """The line had the mean of the surer of two beliefs, and the sentence beside it that of one."""
    random = np.random.default_rng(1)
    table = {"day": random.integers(0, 40, 600), "sex": random.integers(0, 2, 600)}
    table |= {"ill": [f"d{i}" for i in random.integers(0, 9, 600)]}
    roles = {"day": "quasi", "sex": "quasi", "ill": "sensitive"}
    data = Microdata.read(pl.DataFrame(table), roles)
    report = report_on(Permutation(4).anonymize(data, Key(bytes(32))), data)
    (found,) = (each for each in report.attacks if each.attack.call == "presence")
    said = f"believes {percent(found.score)} on average that she is in the table"
    assert said in found.sentence
    assert f"without the release {percent(found.baseline)}" in found.sentence
    (line,) = (each for each in document_of(report).told if "is in the table who is" in each)
    assert f"on average: {found.score:.1%}, {found.baseline:.1%} without the release" in line


def test_a_masked_table_without_its_private_file_is_not_called_safe():
    roles = {"age": "quasi", "pay": "quasi"}
    data = Microdata.read({name: TABLE[name] for name in roles}, roles)
    report = report_on(RankSwapping(p=5).anonymize(data, Key(bytes(32))), data)
    shown = document_of(report)
    assert shown.mood is not Mood.GOOD
    assert any("private file" in each for each in report.left_out)


def test_a_masked_table_that_gives_people_away_is_not_said_to_tell_no_values():
    roles = {"age": "quasi", "pay": "quasi"}
    table = {"age": list(range(120)), "pay": [100 * i + i * i for i in range(120)]}
    data = Microdata.read(table, roles)
    made = RankSwapping(p=1).publish(data, Key(bytes(32)))
    report = report_on(made.release, data, aligned_with(data, made))
    (to_do,) = (each for each in document_of(report).told if each.startswith("To do"))
    assert str(report.verdict) == "does not withstand"
    assert "nobody was shown to learn" not in to_do
    assert "anonagram tune finds the least masking that withstands" in to_do


def test_who_knows_the_group_is_not_called_somebody_without_the_release():
    """A group is told by the release, so its share is no figure of somebody who has none."""
    table = {
        "age": list(range(60)) * 2,
        "ward": ["A", "B"] * 60,
        "pay": [i // 15 for i in range(120)],
    }
    data = Microdata.read(table, {"age": "quasi", "ward": "quasi", "pay": "sensitive"})
    release = Anatomy(l=4, partition="buckets").anonymize(data, Key(bytes(32)))
    attack = Attack.parse("definetti()")
    found = attack.run(Target(release=release, original=data))
    (column,) = found.figures
    assert column.in_group > column.without.everybody
    assert found.baseline == column.in_group
    assert found.compared == (
        f"by the group alone ({column.without.everybody:.1%} without the release)"
    )
    told = document_of(report_on(release, data)).told
    (values,) = [each for each in told if each.startswith("Sensitive values")]
    assert not values.partition(", ")[2].startswith(f"{found.baseline:.1%} without the release")


def test_a_report_on_many_people_tells_its_time(monkeypatch, capsys, tmp_path, data):
    """It was silent for four minutes."""
    monkeypatch.setattr("anonagram.reports.report_on", lambda *_: None)
    Anatomy(2).anonymize(data, Key(bytes(32))).write(tmp_path / "release", page=False)
    for rows, told in (
        (120, ""),
        (71_518, "This takes at most about 43 seconds of a processor.\n"),
    ):
        table = SimpleNamespace(rows=rows)
        monkeypatch.setattr("anonagram.measures.read_original", lambda *_, table=table: table)
        make_report(tmp_path / "release", "patients.csv", None, None)
        assert capsys.readouterr().err == told


def test_the_chance_to_pick_a_person_is_told_with_its_limit(data):
    told = " ".join(document_of(report_on(Anatomy(2).anonymize(data, Key(bytes(32))), data)).told)
    assert "The chance to pick the right person for a row or group, on average: " in told
    assert "up to 34% is taken for hidden" in told
