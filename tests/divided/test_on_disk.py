"""More rows than memory on one machine: the release that the same blocks give in memory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anonagram import KAnonymity, Method, Microdata, Release
from anonagram.divided import on_disk, publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.divided.publishing import require_divisible
from anonagram.errors import CannotAnonymize, CannotWrite, InputError, ReleaseDamaged, SchemaError
from anonagram.partition.cuts import Cuts
from tests.contracts.test_methods import METHODS
from tests.divided.tables import (
    BLOCK,
    CALLS,
    DAY,
    KEY,
    ROLES,
    crowded_table,
    hashes_in,
    in_memory,
    read_few_at_once,
    table_for,
)

MEMORY = 4 << 30


def write(table: pl.DataFrame, path: Path) -> Path:
    table.write_csv(path) if path.suffix == ".csv" else table.write_parquet(path)
    return path


def on_one_disk(method: Method, path: Path, to: Path, **more: object) -> Release:
    publish(RowsOnDisk.at(path, MEMORY), ROLES, method, KEY, to, block=BLOCK, created=DAY, **more)
    return Release.read(to)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("call", CALLS)
def test_disk_and_memory_make_the_same_release(call, kind, tmp_path, monkeypatch):
    read_few_at_once(monkeypatch)
    method = Method.parse(call)
    path = write(table_for(method), tmp_path / f"table.{kind}")
    release = on_one_disk(method, path, tmp_path / "release")
    expected = in_memory(method, path)
    assert {name: table.equals(expected[name]) for name, table in release.tables.items()} == (
        dict.fromkeys(expected, True)
    )
    whole = method.publish(Microdata.read(path, ROLES), KEY, DAY, block=BLOCK).release.manifest
    assert release.manifest.claims == whole.claims
    assert release.manifest.risk == pytest.approx(whole.risk)
    assert release.manifest.utility == pytest.approx(whole.utility)
    assert release.manifest.key_salt == whole.key_salt


@pytest.mark.parametrize("call", ["anatomy(l=3)", "permutation(l=3)"])
def test_rows_that_no_column_tells_apart_are_dealt(call, tmp_path, monkeypatch):
    read_few_at_once(monkeypatch)
    method = Method.parse(call)
    path = write(crowded_table(), tmp_path / "table.parquet")
    asked: list[int] = []
    need = Cuts.need_hashes
    monkeypatch.setattr(Cuts, "need_hashes", lambda *of: (asked.append(n := need(*of)), n)[1])
    release = on_one_disk(method, path, tmp_path / "release")
    needed = np.concatenate(asked)
    assert 360 <= np.count_nonzero(needed) < needed.size == 600
    expected = in_memory(method, path)
    assert all(table.equals(expected[name]) for name, table in release.tables.items())


def test_the_order_of_rows_does_not_matter(tmp_path):
    method = Method.parse("permutation(l=3)")
    table = table_for(method)
    mixed = table.sample(fraction=1, shuffle=True, seed=5)
    folder = tmp_path / "several"
    folder.mkdir()
    for number, part in enumerate(mixed.iter_slices(250)):
        part.write_parquet(folder / f"{number}.parquet")
    on_one_disk(method, write(table, tmp_path / "one.parquet"), tmp_path / "a")
    on_one_disk(method, folder, tmp_path / "b")
    assert hashes_in(tmp_path / "a") == hashes_in(tmp_path / "b")


def test_parts_are_listed_and_every_change_is_seen(tmp_path):
    method = Method.parse("anatomy(l=3)")
    path = write(table_for(method), tmp_path / "table.parquet")
    on_one_disk(method, path, tmp_path / "release")
    opened = Release.open(tmp_path / "release")
    parts = opened.tables["quasi"].paths
    assert len(parts) > 2
    assert opened.tables["quasi"].frame.collect().height == 600
    kept = parts[1].read_bytes()
    parts[1].write_bytes(kept[:-9] + bytes([kept[-9] ^ 1]) + kept[-8:])
    with pytest.raises(ReleaseDamaged, match=parts[1].name):
        Release.read(tmp_path / "release")
    parts[1].write_bytes(kept)
    (tmp_path / "release" / "quasi" / "notes.txt").write_text("the original")
    with pytest.raises(ReleaseDamaged, match=r"quasi/notes\.txt"):
        Release.open(tmp_path / "release")


def test_equal_rows_and_frequent_values_are_cut_all_the_same(tmp_path):
    """Nothing but hashes can cut rows that are all alike; what is too frequent in a part is joined."""
    method = Method.parse("anatomy(l=2)")
    often = ["a", "b"] * 50  # in the rows of age 40 alone they leave no room for l = 2 and a third
    table = pl.DataFrame(
        {"age": [30] * 900 + [40] * 101, "ill": ["a", "b", "c"] * 300 + [*often, "a"]}
    )
    path = write(table, tmp_path / "table.parquet")
    roles = {"age": {"role": "quasi", "holds": "what tells ill"}, "ill": "sensitive"}
    publish(RowsOnDisk.at(path, MEMORY), roles, method, KEY, tmp_path / "release", block=100)
    release = Release.read(tmp_path / "release")
    assert len(Release.open(tmp_path / "release").tables["quasi"].paths) > 4
    assert release.values("ill").sort().equals(table["ill"].sort())


def test_all_that_can_be_divided_is_tried():
    able = {m.call for m in METHODS if not m.undivided and m.shape.is_told_by_blocks}
    assert {Method.parse(call).call for call in CALLS} == able


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_can_be_divided_or_says_why_not(method, tmp_path):
    if not method.undivided and method.shape.is_told_by_blocks:
        require_divisible(method, tmp_path / "release")
        return
    with pytest.raises(CannotAnonymize, match=method.undivided or "figures"):
        require_divisible(method, tmp_path / "release")


def test_what_cannot_be_done_is_refused_and_nothing_written(tmp_path, monkeypatch):
    method = Method.parse("anatomy(l=3)")
    path = write(table_for(method), tmp_path / "table.csv")
    rows, to = RowsOnDisk.at(path, MEMORY), tmp_path / "release"
    with pytest.raises(CannotWrite):
        publish(rows, ROLES, method, KEY, tmp_path / "release.zip")
    with pytest.raises(SchemaError, match="age"):  # no row number: the values were counted apart
        publish(rows, ROLES | {"age": {"role": "quasi", "kind": "date"}}, method, KEY, to)
    with pytest.raises(CannotAnonymize, match="rows_per_person"):
        bounded = {"role": "identifier", "rows_per_person": 1}
        publish(rows, ROLES | {"patient": bounded}, method, KEY, to)
    with pytest.raises(CannotAnonymize, match="l = "):
        publish(rows, ROLES, Method.parse("anatomy(l=50)"), KEY, to)
    with pytest.raises(CannotAnonymize, match="GiB"):
        publish(RowsOnDisk(rows.scanned, 1 << 10), ROLES, method, KEY, to)
    with pytest.raises(InputError, match="part at a time"):
        (tmp_path / "table.xlsx").write_bytes(b"PK\x03\x04\0\0")
        RowsOnDisk.at(tmp_path / "table.xlsx", MEMORY)
    monkeypatch.setattr(on_disk, "MOST_VALUES", 5)
    with pytest.raises(CannotAnonymize, match="different values"):
        publish(rows, ROLES, method, KEY, to)
    assert {each.name for each in tmp_path.iterdir()} == {"table.csv", "table.xlsx"}


def test_equal_rows_are_counted_over_all_blocks(tmp_path):
    """Whoever is alone in her block need not be alone in the release."""
    table = pl.DataFrame({"age": [i % 40 for i in range(400)], "sex": ["F", "M"] * 200})
    table = table.with_columns(age=pl.when(pl.int_range(pl.len()) != 7).then("age").otherwise(77))
    path = write(table, tmp_path / "table.parquet")
    method = Method.parse("data_swapping(share=0)")
    roles = {"age": "quasi", "sex": "quasi"}
    publish(RowsOnDisk.at(path, MEMORY), roles, method, KEY, tmp_path / "release", block=20)
    release = Release.read(tmp_path / "release")
    assert release.manifest.risk == {"rows_with_unique_quasi_identifiers": 1 / 400}
    assert release.figures()[0] == release.manifest.risk
    opened = Release.open(tmp_path / "release")
    assert opened.check(KAnonymity(2)) == [KAnonymity(2).check(release)]
    assert opened.check(KAnonymity(2))[0].violating_rows == 1


def test_columns_that_databases_take_for_one_are_not_counted(tmp_path):
    table = pl.DataFrame({"Age": [1, 2] * 50, "age": [1, 2, 3, 4, 5] * 20, "ill": ["a", "b"] * 50})
    path = write(table, tmp_path / "table.parquet")
    roles = {"Age": "quasi", "age": "quasi", "ill": {"role": "plain"}}
    for call in ("data_swapping()", "random()"):
        rows, to = RowsOnDisk.at(path, MEMORY), tmp_path / call
        if call == "random()":
            opened = publish(rows, roles, Method.parse(call), KEY, to, block=30)
            with pytest.raises(SchemaError, match="'Age' and 'age'"):
                opened.query('SELECT COUNT(*) FROM data WHERE "age" = 5')
            continue
        with pytest.raises(SchemaError, match="'Age' and 'age'"):
            publish(rows, roles, Method.parse(call), KEY, to, block=30)
        assert not to.exists()


def test_a_part_need_not_have_every_value_of_a_ranking(tmp_path):
    towns = [f"{'NESW'[i % 4]}{i % 24}" for i in range(300)]
    table = pl.DataFrame({"town": towns, "age": range(300)})
    (tmp_path / "towns.csv").write_text(
        "".join(f"{town};{town[0]};*\n" for town in sorted(set(towns)))
    )
    path = write(table, tmp_path / "table.csv")
    roles = {"town": {"role": "quasi", "hierarchy": str(tmp_path / "towns.csv")}, "age": "quasi"}
    publish(RowsOnDisk.at(path, MEMORY), roles, Method.parse("rank_swapping(p=20)"), KEY,
            tmp_path / "release", block=20)  # fmt: skip
    opened = Release.open(tmp_path / "release")
    assert len(Release.read(tmp_path / "release").masked["town"].order) == 24
    assert opened.check(KAnonymity(1))[0].holds


def test_what_seems_to_stand_for_a_missing_value_is_told(tmp_path, anonagram):
    table = pl.DataFrame({"age": [*range(20, 119), -9], "ill": ["a", "b", "c", "?"] * 25})
    path = write(table, tmp_path / "table.csv")
    (tmp_path / "roles.toml").write_text('[columns]\nage = "quasi"\nill = "sensitive"\n')
    words = ["anonymize", path, "--schema", tmp_path / "roles.toml", "--method", "anatomy(l=2)"]
    words += ["--memory", "1GiB", "--block", "30", "--json"]
    whole = Microdata.read(path, tmp_path / "roles.toml").notes
    assert "'?'" in whole[-1]
    told = json.loads(anonagram(*words, "-o", tmp_path / "release").stdout)["notes"]
    assert told[1:] == whole
    (tmp_path / "roles.toml").write_text(
        '[columns]\nage = { role = "quasi", missing = ["-9"] }\n'
        'ill = { role = "sensitive", missing = ["?"] }\n'
    )
    assert len(json.loads(anonagram(*words, "-o", tmp_path / "other").stdout)["notes"]) == 1


def test_short_rows_are_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("age,ill\n30,a\n31\n32,b\n")
    with pytest.raises(InputError, match="line 3"):
        publish(RowsOnDisk.at(path, MEMORY), {"age": "quasi", "ill": "sensitive"},
                Method.parse("anatomy(l=2)"), KEY, tmp_path / "release")  # fmt: skip


def test_what_sorting_finds_is_told_first(anonagram, tmp_path):
    incomes = [20_000 + 37 * i for i in range(900)]
    pl.DataFrame({"income": incomes, "tax": [each // 4 for each in incomes]}).write_csv(
        tmp_path / "table.csv"
    )
    (tmp_path / "roles.toml").write_text('[columns]\nincome = "quasi"\ntax = "sensitive"\n')
    done = anonagram("anonymize", tmp_path / "table.csv", "--schema", tmp_path / "roles.toml",
                     "--method", "anatomy(l=3)", "-o", tmp_path / "release", "--block", "300",
                     "--memory", "2GiB")  # fmt: skip
    assert done.stdout.startswith(
        "Warning: Somebody who sorts amounts within groups, people by income, finds the exact tax of 100"
    )


def test_the_command_line_makes_it(anonagram, tmp_path):
    write(table_for(Method.parse("anatomy(l=3)")), tmp_path / "table.csv")
    (tmp_path / "roles.toml").write_text(
        "[columns]\n" + "".join(f'{name} = "{role}"\n' for name, role in ROLES.items())
    )
    words = ["anonymize", tmp_path / "table.csv", "--schema", tmp_path / "roles.toml",
             "--method", "anatomy(l=3)", "-o", tmp_path / "release", "--block", "150"]  # fmt: skip
    done = anonagram(*words, "--memory", "2GiB", "--json")
    told = json.loads(done.stdout)
    assert told["parts"]["quasi"] > 2
    assert told["claims"][0]["achieved"] >= 3
    assert "guesses a sensitive value" in told["headline"]
    assert len(told["notes"]) == 1
    refused = anonagram(*words, "--memory", "2GiB", "--force", "--private", tmp_path / "private")
    assert refused.returncode == 2
    assert "--key" in refused.stderr
    assert anonagram(*words, "--memory", "much").returncode == 2


def test_categories_are_texts(tmp_path):
    own = pl.Categorical(pl.Categories("wards of a hospital"))
    table = table_for(Method.parse("anatomy(l=3)")).with_columns(pl.col("sex").cast(pl.String))
    made = []
    for kind in (pl.String, pl.Categorical, own):
        folder = tmp_path / str(len(made))
        folder.mkdir()
        path = write(table.with_columns(pl.col("sex").cast(kind)), folder / "table.parquet")
        made.append(on_one_disk(Method.parse("anatomy(l=3)"), path, folder / "release").tables)
    for each in made[1:]:
        assert all(each[name].equals(made[0][name]) for name in made[0])


def test_a_table_without_rows_is_refused(tmp_path):
    table = table_for(Method.parse("anatomy(l=3)")).clear()
    path = write(table, tmp_path / "table.parquet")
    with pytest.raises(InputError, match="has no rows"):
        on_one_disk(Method.parse("anatomy(l=3)"), path, tmp_path / "release")
