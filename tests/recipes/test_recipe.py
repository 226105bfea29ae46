"""Recipes: what is understood, what is refused and where, and what comes of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram.errors import AnonagramError, InputError
from anonagram.recipes import Compared, Points, Recipe, Written, run
from anonagram.recipes.places import Place

HEAD = 'data = "a.csv"\nschema = "a.toml"\nmethod = "anatomy(l=2)"\n'
WRITE = '[write]\nrelease = "release-{month}"\n'
DAY = date(2026, 3, 1)


def read(tmp_path: Path, text: str) -> Recipe:
    path = tmp_path / "anonagram.toml"
    path.write_text(text, encoding="utf-8")
    return Recipe.read(path)


@pytest.mark.parametrize(
    ("text", "line", "what", "remedy"),
    [
        ('dta = "a.csv"\n' + HEAD + WRITE, 1, "there is no 'dta'", "'data'"),
        (HEAD + WRITE + 'relase = "b"\n', 6, "there is no 'write.relase'", "'release'"),
        (HEAD + WRITE + "[compare]\nsecond = 4\n", 7, "'compare.second'", "'seconds'"),
        (HEAD + WRITE + 'page = "yes"\n', 6, "'write.page': expected bool", ""),
        (HEAD + WRITE + 'format = "xml"\n', 6, "'write.format'", ""),
        (HEAD + WRITE + '[attacks]\n"definetti()" = 3\n', 6, "'attacks'", "points = 3"),
        (HEAD + WRITE + '[attacks]\n"definety()" = 0.3\n', 7, "no attack called", "'definetti'"),
        (HEAD + 'checks = ["l_divrsity(l=3)"]\n' + WRITE, 4, "no privacy model", "'l_diversity'"),
        (HEAD + 'checks = "l_diversity(l=3)"\n' + WRITE, 4, "'checks'", "checks = ["),
        (HEAD.replace("l=2", "k=2") + WRITE, 3, "no parameter 'k'", "there are: l"),
        (HEAD + '[write]\nrelease = "r-{moth}"\n', 5, "there is no {moth}", "'month'"),
        (HEAD + WRITE + "pdf = true\n", 6, "pdf is the report's", "report ="),
        (HEAD + '[write]\nrelease = " "\n', 5, "has no name", ""),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(tmp_path, text, line, what, remedy):
    with pytest.raises(InputError) as told:
        read(tmp_path, text)
    assert f"anonagram.toml, line {line}: " in told.value.what
    assert what in told.value.what
    assert remedy in told.value.remedy


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (HEAD, "'write' is missing"),
        (WRITE, "'data' is missing"),
        ("data = ", "is no TOML"),
        (HEAD + "[write]\n", "'write.release' is missing"),
    ],
)
def test_what_is_missing_is_named(tmp_path, text, what):
    with pytest.raises(InputError, match=what):
        read(tmp_path, text)


def test_there_is_no_recipe(tmp_path):
    with pytest.raises(InputError, match="There is no recipe"):
        Recipe.read(tmp_path / "anonagram.toml")
    (tmp_path / "anonagram.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        Recipe.read(tmp_path / "anonagram.toml")


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="{}"), min_size=1
).filter(str.strip)
limits = st.one_of(st.floats(0, 1), st.just("withstands"), st.builds(Points, st.floats(0, 100)))
recipes = st.builds(
    Recipe,
    data=texts,
    schema=texts,
    method=st.just("anatomy(l=3)"),
    key=st.none() | texts,
    checks=st.sampled_from([(), ("l_diversity(l=3)", "k_anonymity(k=2)")]),
    write=st.builds(Written, texts, private=st.none() | texts, page=st.booleans()),
    attacks=st.dictionaries(st.sampled_from(["definetti()", "everybody"]), limits),
    compare=st.none() | st.builds(Compared, seconds=st.none() | st.integers(1, 99)),
)


@given(recipes)
def test_what_is_written_is_read_again(tmp_path_factory, recipe):
    folder = tmp_path_factory.mktemp("recipe")
    assert read(folder, recipe.to_toml({"method": "why\nand how", "write.page": "so"})) == recipe


@given(
    st.dates(),
    st.dates(),
    st.sampled_from(["{month}", "{date}", "{year}/{month}", "{date}-{year}"]),
)
def test_places_of_other_days_are_found_in_their_order(tmp_path_factory, one, two, stamp):
    folder = tmp_path_factory.mktemp("places")
    place = Place(f"r.{stamp}", folder)
    for day in (one, two):
        place.on(day).mkdir(parents=True, exist_ok=True)
    (folder / "r.other").mkdir()
    found = place.others(one)
    is_other = place.on(one) != place.on(two)
    assert list(found) == ([place.on(two)] if is_other else [])
    assert all(place.with_stamps(stamps) == path for path, stamps in found.items())


def make(tmp_path: Path, **words: object) -> Recipe:
    rows = [f"p{i},{20 + i % 17},d{i % 7}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["who,age,ill", *rows]) + "\n")
    roles = '[columns]\nwho = "identifier"\nage = "quasi"\nill = "sensitive"\n'
    (tmp_path / "a.toml").write_text(roles)
    (tmp_path / "key.txt").write_text("07" * 32)
    told = {"data": "a.csv", "schema": "a.toml", "method": "anatomy(l=3)", "key": "key.txt"}
    return Recipe(**{**told, "write": Written("r-{month}", private="{month}.private"), **words})


def test_limits_are_looked_at_one_by_one(tmp_path):
    attacks = {"definetti()": 1.0, "prosecutor()": 0.0, "homogeneity()": "withstands"}
    recipe = make(tmp_path, checks=("l_diversity(l=3)", "k_anonymity(k=99)"), attacks=attacks)
    found = run(recipe, DAY, tmp_path)
    assert [each.holds for each in found.limits] == [True, False, True, False, True]
    assert not found.holds
    assert "k_anonymity(k=99)" in found.headline


def test_everybody_is_all_who_can_try(tmp_path):
    recipe = make(tmp_path, attacks={"everybody": Points(100)})
    found = run(recipe, DAY, tmp_path)
    assert found.report.attacks is not None
    assert len(found.limits) == len(found.report.attacks)
    assert found.holds


def test_a_masked_table_is_audited(tmp_path):
    attacks = {"unmasked_columns()": "withstands", "maximum_knowledge()": 1.0}
    found = run(make(tmp_path, method="rank_swapping(p=20)", attacks=attacks), DAY, tmp_path)
    assert found.report.audit is not None
    assert [each.holds for each in found.limits] == [
        False,
        True,
    ]  # the identifier's column is not masked


def test_a_limit_that_nobody_can_look_at_is_refused(tmp_path):
    recipe = make(tmp_path, attacks={"weighed_rows()": "withstands"})
    with pytest.raises(InputError, match="who cannot try"):
        run(recipe, DAY, tmp_path)


def test_earlier_releases_count(tmp_path):
    method = "anatomy(l=3, partition='buckets')"
    recipe = make(tmp_path, method=method, attacks={"several_releases()": "withstands"})
    first = run(recipe, DAY, tmp_path)
    assert first.holds
    assert first.limits[0].found == "no other release"
    first.publication.write(tmp_path / "r-2026-03")
    (tmp_path / "key.txt").write_text("08" * 32)
    second = run(recipe, date(2026, 4, 1), tmp_path)
    assert second.earlier == (tmp_path / "r-2026-03",)
    assert not second.holds


def test_a_series_goes_on_in_its_order(tmp_path):
    recipe = make(
        tmp_path, method="m_invariance(m=3)", attacks={"several_releases()": "withstands"}
    )
    for month in (1, 2, 4):
        found = run(recipe, date(2026, month, 1), tmp_path)
        assert found.holds
        found.publication.write(tmp_path / f"r-2026-0{month}", tmp_path / f"2026-0{month}.private")
    assert found.publication.series.number == 3
    with pytest.raises(InputError, match="is later than"):
        run(recipe, DAY, tmp_path)
    (tmp_path / "2026-04.private").write_bytes((tmp_path / "2026-02.private").read_bytes())
    with pytest.raises(InputError, match="remembers nothing of"):
        run(recipe, date(2026, 5, 1), tmp_path)


@pytest.mark.parametrize(
    "write",
    [Written("r-{month}"), Written("r", private="p"), Written("r-{month}", private="{date}")],
)
def test_a_series_that_could_not_go_on_is_refused(tmp_path, write):
    with pytest.raises(AnonagramError, match=r"private file|same \{month\}"):
        run(make(tmp_path, method="m_invariance(m=3)", write=write), DAY, tmp_path)
