"""What a person learns about herself, against enumerating what can have happened."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Key, Method, Microdata
from anonagram.demo import hospital_table
from anonagram.errors import AnonagramError, InputError, SchemaError
from anonagram.present import document_of
from anonagram.verify import read_record, read_settings, verify, verify_in, view_of
from anonagram.verify.candidates import find_candidates
from anonagram.verify.record import sought_in, texts_of
from anonagram.verify.words import BY_GROUP, BY_ROWS
from tests.tables import AWKWARD_SCHEMA, awkward_table

KEY = Key(bytes(range(32)))
ROLES = {"age": "quasi", "sex": "quasi", "town": "quasi", "disease": "sensitive"}


def small(rows: int, seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.integers(20, 24, rows),
            "sex": random.choice(["f", "m"], rows),
            "town": random.choice(["A", "B", "C"], rows),
            "disease": random.choice(["flu", "cut", "burn", "cold", "gout"], rows),
        }
    )


def released(call: str, table: pl.DataFrame, key: Key = KEY):
    return Method.parse(call).anonymize(Microdata.read(table, ROLES), key)


def believed(found) -> dict[str, float]:
    return {each.value: each.probability for each in found.beliefs[0].likeliest}


def test_anatomy_believes_in_the_groups_of_the_rows_that_match():
    table = small(40, 1)
    release = released("anatomy(l=2)", table)
    record = table.row(0, named=True)
    found = verify(release, record)
    quasi = release.quasi
    matches = quasi.filter(age=record["age"], sex=record["sex"], town=record["town"])
    expected = defaultdict(Fraction)
    sizes = Counter(quasi["group"])
    for group in matches["group"]:
        for number, value, count in release.sensitive["disease"].rows():
            if number == group:
                expected[value] += Fraction(count, sizes[group] * matches.height)
    assert believed(found) == pytest.approx({k: float(v) for k, v in expected.items()})
    assert found.candidate_groups == matches["group"].n_unique()
    assert found.beliefs[0].own.probability == pytest.approx(float(expected[record["disease"]]))


def test_permutation_believes_what_random_pairings_would_show():
    """In a group, all ways to put its columns together are equally likely: enumerated here."""
    table = small(8, 3)
    release = released("permutation(l=2)", table)
    record = table.row(2, named=True)
    found = verify(release, record)
    weights: dict[object, Fraction] = defaultdict(Fraction)
    for group in release.quasi["group"].unique():
        rows = release.quasi.filter(pl.col("group") == group)
        values = release.sensitive.filter(pl.col("group") == group)["disease"].to_list()
        size = rows.height
        # somebody of the group has her values and a value: one of each column, drawn by itself
        for age, sex, town, value in product(rows["age"], rows["sex"], rows["town"], values):
            if (age, sex, town) == (record["age"], record["sex"], record["town"]):
                weights[value] += Fraction(size, size**4)
    total = sum(weights.values())
    assert believed(found) == pytest.approx({k: float(v / total) for k, v in weights.items()})


def test_generalization_believes_in_the_groups_that_cover_her():
    table = small(60, 5)
    release = released("generalize(l=3)", table)
    for number in range(10):
        record = table.row(number, named=True)
        found = verify(release, record)
        expected: Counter[str] = Counter()
        groups = [
            group["group"]
            for group in release.groups.to_dicts()
            if (
                group["age_low"] <= record["age"] <= group["age_high"]
                and record["sex"] in group["sex"]
                and record["town"] in group["town"]
            )
        ]
        rows = release.rows.filter(pl.col("group").is_in(groups))
        expected.update(rows["disease"].to_list())
        assert found.candidate_groups == len(groups)
        assert found.candidate_rows == rows.height
        assert believed(found) == pytest.approx({k: v / rows.height for k, v in expected.items()})


def test_a_value_between_the_ends_of_ranges_is_covered():
    table = pl.DataFrame({"age": [20, 30, 40, 50], "disease": ["flu", "cut", "burn", "cold"]})
    release = Method.parse("generalize(l=2)").anonymize(
        Microdata.read(table, {"age": "quasi", "disease": "sensitive"}), KEY
    )
    found = verify(release, {"age": 25})
    assert found.candidate_groups == 1
    assert found.candidate_rows == 2
    assert not verify(release, {"age": 19}).is_found


@pytest.mark.parametrize("attributes", [1, 2, 3])
@given(
    seed=st.integers(0, 10**6), known=st.sets(st.sampled_from(["age", "sex", "town"]), min_size=1)
)
def test_replaced_values_are_weighed_by_bayes(attributes, seed, known):
    """The chance that a row with her values became each published row, by enumerating draws."""
    table = small(9, seed)
    if any(table[name].n_unique() < 2 for name in table.columns):
        return
    release = released(f"random(attributes={attributes})", table)
    record = {name: table[name][0] for name in known}
    found = verify(release, record)
    names = list(release.marginals)
    shares = {n: dict(zip(t[n], t["count"] / 9, strict=True)) for n, t in release.marginals.items()}
    sets = list(combinations(names, attributes))
    chance_of = (
        {(name,): release.transition.replaced[name] for name in names}
        if attributes == 1
        else {each: 1 / len(sets) for each in sets}
    )
    weights: dict[str, float] = defaultdict(float)
    for row in release.rows.to_dicts():
        for replaced, chance in chance_of.items():
            for name in known:
                if name in replaced:
                    chance *= shares[name][row[name]]
                elif row[name] != record[name]:
                    chance = 0.0
            weights[row["disease"]] += chance
    total = sum(weights.values())
    expected = {k: v / total for k, v in weights.items() if v > 0} if total else {}
    assert (believed(found) if found.beliefs else {}) == pytest.approx(expected)


@pytest.mark.parametrize("p", [5, 20, 50])
def test_her_own_row_is_always_among_the_candidates_of_rank_swapping(p):
    table = small(200, 7).with_columns(pay=pl.Series(np.random.default_rng(0).lognormal(9, 1, 200)))
    data = Microdata.read(table, ROLES | {"town": "plain", "pay": "quasi"})
    publication = Method.parse(f"rank_swapping(p={p})").publish(data, KEY)
    view = view_of(publication.release)
    for number in range(50):
        record = table.row(number, named=True)
        known = {name: sought_in(view.columns[name], t) for name, t in texts_of(record).items()}
        del known["disease"]
        candidates = find_candidates(view, known)
        own = publication.mapping["row_in_rows"][number]
        assert candidates.weights[own] > 0
        assert verify_in(view, record).candidate_rows == candidates.rows


@pytest.mark.parametrize("kind", ["hierarchy", "large numbers", "nanoseconds", "decimals", "times"])
def test_her_own_row_is_found_whatever_the_column_is(kind):
    from datetime import time
    from decimal import Decimal

    rows = 120
    random = np.random.default_rng(3)
    values = {
        "hierarchy": pl.Series([f"{i:03}" for i in random.integers(0, 200, rows)]),
        "large numbers": pl.Series((2**60 + random.permutation(rows)).tolist()),
        "nanoseconds": pl.Series(10**18 + random.permutation(rows)).cast(pl.Datetime("ns")),
        "decimals": pl.Series([Decimal(int(i)) / 100 for i in random.permutation(rows)]),
        "times": pl.Series([time(i // 60, i % 60) for i in random.permutation(rows).tolist()]),
    }[kind]
    table = pl.DataFrame({"x": values, "y": random.permutation(rows), "d": ["a", "b", "c"] * 40})
    rule = {
        "hierarchy": {"role": "quasi", "kind": "nominal", "hierarchy": "mask()"},
        # so many digits, and another number for everybody, may name people
        "large numbers": {"role": "quasi", "holds": "what names a person"},
    }.get(kind, "quasi")
    roles = {"x": rule, "y": "quasi", "d": "sensitive"}
    for call in ("rank_swapping(p=2)", 'rank_swapping(p=2, columns=["y"])', "anatomy(l=2)"):
        publication = Method.parse(call).publish(Microdata.read(table, roles), KEY)
        view = view_of(publication.release)
        for number in range(0, rows, 3):
            text = view.columns["x"].texts
            record = {"x": table["x"][number], "y": table["y"][number]}
            if kind in (
                "nanoseconds",
                "times",
            ):  # Python's own types are coarser or written shorter
                place = (view.columns["x"].domain == table["x"][number : number + 1][0]).arg_max()
                record["x"] = text[place] if kind == "times" else None
            if record["x"] is None:
                del record["x"]
            found = verify_in(view, record)
            assert found.is_found, (call, record)
            if "row_in_rows" in publication.mapping.columns:
                known = {n: sought_in(view.columns[n], t) for n, t in texts_of(record).items()}
                own = publication.mapping["row_in_rows"][number]
                assert find_candidates(view, known).weights[own] > 0, (call, record)


@pytest.mark.parametrize("call", [
    "rank_swapping(p=20, columns={})", "data_swapping(share=0.5, columns={})", "shuffling(columns={})",
])  # fmt: skip
def test_moved_sensitive_values_are_not_taken_for_hers(call):
    """Her own value stays possible, and beliefs are right on average: they are calibrated."""
    table = pl.DataFrame({"q": range(400), "s": np.random.default_rng(2).integers(0, 12, 400)})
    data = Microdata.read(table, {"q": "plain", "s": "sensitive"})
    method = Method.parse(call.format('"sensitive"'))
    believed, right = [], []
    for seed in range(6):
        view = view_of(method.anonymize(data, Key(bytes([seed]) * 32)))
        for number in range(0, 400, 5):
            found = verify_in(view, {"q": number, "s": table["s"][number]})
            belief = found.beliefs[0]
            assert found.candidate_rows == 1
            assert belief.own.probability > 0
            assert belief.possible > 1
            assert sum(each.probability for each in belief.likeliest) <= 1 + 1e-9
            believed.append(belief.likeliest[0].probability)
            right.append(belief.likeliest[0].value == str(table["s"][number]))
    deviation = np.sqrt(np.mean(believed) * (1 - np.mean(believed)) / len(right))
    assert abs(np.mean(right) - np.mean(believed)) < 5 * deviation


def test_changed_sensitive_values_are_not_believed():
    table = pl.DataFrame({"q": range(60), "s": range(60)})
    data = Microdata.read(table, {"q": "quasi", "s": "sensitive"})
    found = verify(Method.parse('noise(columns="sensitive")').anonymize(data, KEY), {"q": 3})
    assert found.beliefs == ()
    assert found.untrue == ("s",)
    assert any("changed" in line for line in found.summary())


def test_shuffled_values_can_be_anybodys():
    table = small(50, 9)
    release = released("shuffling()", table)
    found = verify(release, {"age": 21, "sex": "f", "town": "A"})
    assert found.candidate_rows == 50
    assert found.beliefs[0].likeliest[0].probability == found.beliefs[0].likeliest[0].before


def test_distance_is_plausible_where_values_are_permuted_and_not_where_they_stand():
    random = np.random.default_rng(0)
    table = pl.DataFrame({name: random.normal(size=400) for name in "abc"})
    data = Microdata.read(table, dict.fromkeys("abc", "quasi"))
    view = view_of(Method.parse("data_swapping(share=1)").anonymize(data, KEY))
    plain = view_of(Method.parse("data_swapping(share=0)").anonymize(data, KEY))
    hidden = [verify_in(view, table.row(i, named=True)).distance for i in range(100)]
    shown = [verify_in(plain, table.row(i, named=True)).distance for i in range(100)]
    # as many as chance would have: 5 % fall below the usual limit
    assert sum(not each.is_plausible for each in hidden) <= 12
    assert not any(each.is_plausible for each in shown)
    assert all(each.record == 0 and each.matches == 1 for each in shown)


def test_whoever_fits_a_group_of_fine_values_is_told_that_it_shows():
    """A match of rows was said to prove nothing, while nobody else fits a group as members do."""
    random = np.random.default_rng(2)
    everybody = pl.DataFrame(
        {
            "age": random.integers(20, 80, 1500),
            "day": random.integers(0, 900, 1500),
            "ill": random.choice(list("abcdef"), 1500),
        }
    )
    inside, outside = everybody[:1200], everybody[1200:]
    roles = {"age": "quasi", "day": "quasi", "ill": "sensitive"}
    view = view_of(Method.parse("permutation(l=4)").anonymize(Microdata.read(inside, roles), KEY))
    found = verify_in(view, {"age": inside["age"][0], "day": inside["day"][0]})
    assert found.fit.is_telling
    assert "Everybody in the table fits a group, and so do " in found.summary()[0]
    assert not any("proves nothing" in line for line in found.summary())
    # as many of the real others fit
    others = [{"age": age, "day": day} for age, day, _ in outside.rows()]
    real = np.mean([verify_in(view, other).is_found for other in others])
    assert found.fit.outsiders == pytest.approx(real, abs=0.05)


def test_a_rare_value_shows_that_somebody_is_there():
    """Two values that everybody has, but one: of others all fit, and she is seen."""
    rows = 400
    table = pl.DataFrame(
        {
            "sex": ["x", *["f", "m"] * (rows // 2 - 1), "f"],
            "age": [30, *([30, 40, 50] * rows)[: rows - 1]],
            "ill": (list("abcdefgh") * rows)[:rows],
        }
    )
    data = Microdata.read(table, {"sex": "quasi", "age": "quasi", "ill": "sensitive"})
    view = view_of(Method.parse("permutation(l=4)").anonymize(data, KEY))
    rare, common = (verify_in(view, {"sex": sex, "age": 30}) for sex in "xf")
    assert rare.fit.outsiders == common.fit.outsiders > 0.9
    assert rare.fit.is_alone
    assert rare.fit.is_telling
    assert rare.summary()[0].startswith("Without you no group would have all of these values")
    assert not common.fit.is_alone
    assert not common.fit.is_telling


@pytest.mark.parametrize("call", [m.example for m in Method.known().values()])
def test_every_method_can_be_verified(call):
    from tests.contracts.test_methods import suited

    method = Method.parse(call)
    microdata = Microdata.read(suited(method, awkward_table()), AWKWARD_SCHEMA)
    release = method.anonymize(microdata, KEY)
    view = view_of(release)
    table = microdata.frame()
    seen = 0
    for number in range(20):
        record = {name: table[name][number] for name in table.columns}
        found = verify_in(view, record)
        changed = release.shape == "masked" and release.values("born") is None
        # what is true of her is never ruled out
        assert found.is_found or changed
        if found.is_found and found.beliefs:
            assert sum(b.probability for b in found.beliefs[0].likeliest) <= 1 + 1e-9
            assert found.beliefs[0].own.probability > 0 or changed
            seen += 1
        assert found.summary()
        assert found.to_dict()["candidates"]["rows"] == found.candidate_rows
    assert seen


def test_records_from_files_and_settings(tmp_path):
    (tmp_path / "me.csv").write_text('name,age,town\n"Ann, B",23,A\n')
    (tmp_path / "me.json").write_text('{"age": 23, "town": null, "sex": "f", "smokes": true}')
    assert read_record(tmp_path / "me.csv") == {"name": "Ann, B", "age": "23", "town": "A"}
    found = read_record(tmp_path / "me.json")
    assert found == {"age": "23", "town": None, "sex": "f", "smokes": "true"}
    broken = {"x.csv": ["a,b\n1\n", "a\n1\n2\n", ""], "x.json": ["[1]", "{", '{"a": 1, "a": 2}']}
    for text, name in ((text, name) for name, texts in broken.items() for text in texts):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match="x\\."):
            read_record(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_record(tmp_path / "nothing.csv")
    (tmp_path / "odd.csv").write_text('town,age\n"New\u2028\nYork",3\n')
    assert read_record(tmp_path / "odd.csv")["town"] == "New\u2028\nYork"
    (tmp_path / "twice.csv").write_text("age,age\n1,2\n")
    with pytest.raises(InputError, match="two columns"):
        read_record(tmp_path / "twice.csv")
    for settings in (["age"], ["=3"], ["a=1", "a=2"]):
        with pytest.raises(InputError):
            read_settings(settings)


def test_what_cannot_be_understood_is_named():
    release = released("anatomy(l=2)", small(40, 1))
    with pytest.raises(AnonagramError, match="age is numeric: 'old' is no value"):
        verify(release, {"age": "old"})
    with pytest.raises(InputError, match="Nothing is given"):
        verify(release, {"disease": "flu"})
    found = verify(release, {"age": 21, "name": "Ann"})
    assert found.ignored == ("name",)
    assert verify(release, {"age": 99, "sex": "f"}).unknown == ("age",)
    assert "no row has age “99”" in verify(release, {"age": 99}).summary()[0]


@pytest.mark.parametrize(
    ("column", "written", "meant"),
    [
        ("age", "75y", "75, if that is meant"),
        ("age", "about 41 years", "41, if that is meant"),
        ("age", "-3 °", "-3, if that is meant"),
        ("age", "1,234", "1.234 or 1234, whichever is meant"),
        ("age", "seventy", "for example 40"),
        ("age", "30-39", "for example 40"),
        ("born", "03/04/1961", "1961-03-04 or 1961-04-03, whichever is meant"),
        ("born", "14.3.1961", "1961-03-14, if that is meant"),
        ("born", "spring 1961", "1961-01-30, if that is meant"),
        ("born", "31.2.1961", "for example 19"),
        ("born", "long ago", "for example 19"),
    ],
)
def test_a_value_that_cannot_be_read_is_answered_with_what_was_meant(column, written, meant):
    """75y was answered "for example 0"."""
    rows = 40
    table = {
        "age": [20 + i for i in range(rows)],
        "born": [date(1960, 1, 1) + timedelta(days=i * 79) for i in range(rows)],
        "ill": [f"d{i % 5}" for i in range(rows)],
    }
    roles = {"age": "quasi", "born": "quasi", "ill": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY)
    with pytest.raises(InputError) as refused:
        verify(release, {column: written})
    assert meant in refused.value.remedy


def test_dates_are_read_as_people_write_them():
    table = hospital_table(100).select("age", "admitted", "disease")
    data = Microdata.read(table, {"age": "quasi", "admitted": "quasi", "disease": "sensitive"})
    view = view_of(Method.parse("anatomy(l=2)").anonymize(data, KEY))
    day = table["admitted"][0]
    found = verify_in(view, {"admitted": day.isoformat()})
    assert found.candidate_rows > 0
    assert found.known == {"admitted": day.isoformat()}


def test_a_rare_value_that_becomes_likely_is_named_and_nobody_is_called_well_hidden():
    """0.1 % that becomes 8 % is 80 times as likely, though only 8 points more."""
    rows = 1000
    diseases = ["rare", *(f"d{i % 20}" for i in range(rows - 1))]
    table = {"age": list(range(rows)), "ward": [i % 5 for i in range(rows)], "disease": diseases}
    roles = {"age": "quasi", "ward": "quasi", "disease": "sensitive"}
    release = Method.parse("anatomy(l=12)").anonymize(Microdata.read(table, roles), KEY)
    found = verify(release, {"age": 0, "disease": "rare"})
    assert found.beliefs[0].own.times > 50
    *_, last = found.summary()
    assert "“rare” is " in last
    assert "times as likely for you" in last
    assert "well hidden" not in " ".join(found.summary())


def test_rows_that_stand_open_are_told_first():
    table = {"age": [30, 30, 40, 50], "zip": [1, 2, 3, 4], "disease": ["a", "b", "c", "d"]}
    roles = {"age": "quasi", "zip": "quasi", "disease": "sensitive"}
    release = Method.parse("anatomy(l=4)").anonymize(Microdata.read(table, roles), KEY)
    assert verify(release, {"age": 40}).summary()[0] == (
        "With age alone one row can be yours; it also shows zip."
    )
    assert verify(release, {"age": 30}).summary()[0] == (
        "With age alone 2 rows can be yours; they also show zip."
    )
    both = verify(release, {"age": 30, "zip": 2}).summary()[0]
    assert both == "With age and zip alone one row can be yours."
    permuted = Method.parse("permutation(l=4)").anonymize(Microdata.read(table, roles), KEY)
    assert verify(permuted, {"age": 30}).open_rows is None


def test_labels_and_any_case_are_understood_and_an_own_value_that_nobody_has_is_told():
    """It was said to be believed with 0.0 %, which comforts whoever misspells her disease."""
    table = {"sex": ["F", "M", "F", "M"], "dx": ["428", "414", "410", "786"]}
    roles = {
        "sex": {"role": "quasi", "label": "Sex of the patient", "labels": {"F": "female"}},
        "dx": {"role": "sensitive", "kind": "nominal", "labels": {"428": "Heart failure"}},
    }
    release = Method.parse("anatomy(l=4)").anonymize(Microdata.read(table, roles), KEY)
    found = verify(release, {"sex of the patient": "Female", "DX": "heart failure"})
    assert found.known == {"sex": "F"}
    assert found.beliefs[0].own.value == "428"
    unknown = " ".join(verify(release, {"sex": "F", "dx": "hart failure"}).summary())
    assert "in your own with" not in unknown
    assert "Nobody has what you gave as your own: check how it is written" in unknown
    assert "There are rows with dx “410”, “414”, “Heart failure (428)”, “786”." in unknown
    with pytest.raises(InputError, match="set twice"):
        verify(release, {"sex": "F", "Sex of the patient": "M"})


def test_who_gives_a_value_that_nobody_has_is_told_those_there_are():
    """'Nothing can be said: no row has gender “Femle”', and not a word on how it is written."""
    towns = [f"{name}{number}" for name in ("Alt", "Neu") for number in range(9)]
    table = {"sex": ["F", "M"] * 9, "age": range(18), "town": towns, "dx": [*"abcdefghi"] * 2}
    roles = {"sex": "quasi", "age": "quasi", "town": "quasi", "dx": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, roles), KEY)

    def told(**record: object) -> str:
        return verify(release, record).summary()[0]

    assert told(sex="W").endswith("There are rows with sex “F”, “M”.")
    assert told(age=99).endswith("age goes from 0 to 17.")
    like = [f"“Neu{number}”" for number in range(9)]
    assert told(town="neustadt").endswith(f"There are rows with town {', '.join(like)}.")
    assert told(town="Xanten").endswith("or you are not in it.")


def test_a_misspelt_column_is_refused_and_one_that_was_never_published_left_out():
    release = released("anatomy(l=2)", small(40, 1))
    with pytest.raises(SchemaError, match="no column 'diseas'") as refused:
        verify(release, {"age": 21, "diseas": "flu"})
    assert "'disease', if that is meant" in refused.value.remedy
    assert verify(release, {"age": 21, "disease": "flu", "diseases": 3}).ignored == ("diseases",)


def test_dates_are_read_in_the_form_of_the_table_which_is_told():
    """03/04/2008 was the fourth of March without a word, and 14/07/2008 refused without the form."""
    days = [f"07/{i % 28 + 1:02}/2008" for i in range(40)]
    table = {"admitted": ["03/04/2008", *days[1:]], "disease": [f"d{i % 4}" for i in range(40)]}
    rules = {"admitted": {"role": "quasi", "format": "month/day/year"}, "disease": "sensitive"}
    release = Method.parse("anatomy(l=2)").anonymize(Microdata.read(table, rules), KEY)
    found = verify(release, {"admitted": "03/04/2008"})
    assert found.read_as == {"admitted": "2008-03-04"}
    known = document_of(found).sections[0].sentences[0]
    assert known == "Known about you: admitted 03/04/2008 (published as 2008-03-04)"
    nobody = verify(release, {"admitted": "03/05/2008"}).summary()[0]
    assert "a date is written month/day/year, as in the table, or 2024-01-31" in nobody
    with pytest.raises(InputError) as refused:
        verify(release, {"admitted": "14/07/2008"})
    assert "month/day/year (07/14/2008)" in refused.value.remedy


def test_how_near_possible_amounts_are_is_told():
    table = {"age": list(range(40)), "pay": [100_000 + i for i in range(40)]}
    data = Microdata.read(table, {"age": "quasi", "pay": "sensitive"})
    release = Method.parse("anatomy(l=4)").anonymize(data, KEY)
    found = verify(release, {"age": 3})
    assert found.beliefs[0].between == ("100000", "100003")
    between = "What is possible lies between 100000 and 100003 (in the table 100000 to 100039)"
    assert between in " ".join(found.summary())


@pytest.mark.parametrize("method", ["anatomy(l=2)", "permutation(l=2)", "generalize(l=2)"])
def test_whoever_is_in_a_group_is_told_that_all_groups_together_may_tell_more(method):
    table = {"age": [20, 30, 40, 50] * 4, "sex": ["F", "M"] * 8, "ill": ["a", "b", "c", "d"] * 4}
    data = Microdata.read(table, {"age": "quasi", "sex": "quasi", "ill": "sensitive"})
    release = Method.parse(method).anonymize(data, KEY)
    assert verify(release, {"age": "30"}).summary()[-1].endswith(BY_GROUP)


def test_a_masked_row_that_an_audit_links_is_not_said_to_prove_nothing():
    """Of 3,000 people an audit linked half, and nearly all were told that a match proves nothing."""
    roles = {
        "age": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "admitted": "quasi",
        "disease": "sensitive",
    }
    data = Microdata.read(hospital_table(300).select(*roles), roles)
    view = view_of(Method.parse("rank_swapping(p=10)").anonymize(data, KEY))
    found = [verify_in(view, row) for row in data.frame().head(40).to_dicts()]
    plausible = [each.summary() for each in found if each.distance and each.distance.is_plausible]
    assert len(plausible) > 30
    for first, second, *more in plausible:
        assert first.startswith("Whoever links rows with people takes ")
        assert "does not show that it is yours, nor that it is not" in first
        assert second.endswith("can be yours.")
        assert more[-1].endswith((BY_ROWS, "the release gives it away about you."))


def test_nobody_is_told_of_groups_where_there_are_none():
    table = {"age": list(range(20, 36)), "pay": list(range(16)), "ill": ["a", "b", "c", "d"] * 4}
    data = Microdata.read(table, {"age": "quasi", "pay": "quasi", "ill": "sensitive"})
    release = Method.parse("rank_swapping(p=40)").anonymize(data, KEY)
    told = " ".join(verify(release, {"age": "30", "pay": "3"}).summary())
    assert BY_GROUP not in told
    assert BY_ROWS in told
