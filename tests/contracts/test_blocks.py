"""A table cut into blocks gives the same release whoever works on them, and in whatever order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import rankdata

from anonagram import KAnonymity, Key, Method, Microdata
from anonagram.demo import hospital_table
from anonagram.errors import CallError, CannotAnonymize
from anonagram.methods import blocks
from anonagram.methods.masking import MaskingMethod
from anonagram.methods.publication import Publication
from anonagram.partition import Secrets, content_digest, cut_into_blocks
from tests.contracts.test_methods import METHODS

KEY = Key(bytes(range(32)))
ROLES = {
    "age": "quasi", "sex": "quasi", "zip": "quasi", "admitted": "quasi", "disease": "sensitive",
    "name": "drop", "patient": "drop",
}  # fmt: skip
DIVISIBLE = [method for method in METHODS if not method.undivided]
DIVISIBLE += [Method.parse('anatomy(l=3, partition="neighbours")')]
DIVISIBLE += [Method.parse(f'ke(k=3, e=60, partition="{way}")') for way in ("random", "close_rows")]
UNDIVIDED = [method for method in METHODS if method.undivided]
BLOCK = 150


@pytest.fixture(params=DIVISIBLE, ids=repr)
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


def table_for(method: Method) -> pl.DataFrame:
    """With numbers of many values where a method needs numbers."""
    table = hospital_table(900).select(*ROLES)
    if isinstance(method, MaskingMethod) and method.needs_numbers:
        return table.with_columns(pl.col("sex", "zip").rank("dense").cast(pl.Int64))
    if method.call != "ke":
        return table
    return table.with_columns(pl.col("disease").rank("dense") * 2000 + pl.col("age") * 21)


def read(table: pl.DataFrame) -> Microdata:
    return Microdata.read(table.select(*ROLES), ROLES)


def publish(method: Method, table: pl.DataFrame, block: int = BLOCK) -> Publication:
    return method.publish(read(table), KEY, date(2020, 1, 2), block=block)


def written(made: Publication, folder: Path) -> dict[str, str]:
    made.release.write(folder)
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def backwards(work: Callable, arguments: Iterator[tuple]) -> list:
    return [work(*each) for each in reversed(list(arguments))][::-1]


def one_by_one(work: Callable, arguments: Iterator[tuple]) -> list:
    return [work(*each) for each in arguments]


def in_processes(work: Callable, arguments: Iterator[tuple]) -> list:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        return [each.result() for each in [pool.submit(work, *given) for given in arguments]]


@pytest.mark.parametrize("workers", [one_by_one, backwards], ids=lambda each: each.__name__)
def test_number_and_order_of_workers_do_not_matter(method, workers, tmp_path, monkeypatch):
    table = table_for(method)
    together = written(publish(method, table), tmp_path / "together")
    monkeypatch.setattr(blocks, "in_threads", workers)
    assert written(publish(method, table), tmp_path / "apart") == together


@pytest.mark.parametrize("call", ["anatomy(l=3)", "permutation(l=3)", "random()"])
def test_other_processes_do_the_same(call, tmp_path, monkeypatch):
    method = Method.parse(call)
    table = table_for(method)
    together = written(publish(method, table), tmp_path / "together")
    monkeypatch.setattr(blocks, "in_threads", in_processes)
    assert written(publish(method, table), tmp_path / "apart") == together


def test_the_order_of_rows_does_not_matter(method, tmp_path):
    table = table_for(method)
    mixed = table.sample(fraction=1, shuffle=True, seed=5)
    one = written(publish(method, table), tmp_path / "one")
    assert written(publish(method, mixed), tmp_path / "two") == one
    other = table.with_columns(pl.col("age").reverse())
    assert written(publish(method, other), tmp_path / "three") != one


def test_there_are_several_blocks_that_have_every_row_once(method):
    microdata = read(table_for(method))
    cut = blocks_of(method, microdata)
    assert len(cut) >= 4
    assert max(each.size for each in cut) < 3 * BLOCK
    assert sorted(np.concatenate(cut).tolist()) == list(range(microdata.rows))


def test_every_value_is_kept_and_groups_are_numbered_at_random(method):
    table = table_for(method)
    made = publish(method, table)
    for name in ("disease", "age"):
        values = made.release.values(name)
        if values is not None:
            assert values.sort().equals(read(table).frame()[name].sort())
    if "group" not in made.release.manifest.layout:
        return
    group_of = made.mapping["group"].to_numpy()
    assert sorted(set(group_of.tolist())) == list(range(1, group_of.max() + 1))
    # the numbers of a block are a run, and the blocks come in an order that has nothing to do with it
    firsts = [group_of[rows].min() for rows in blocks_of(method, read(table))]
    assert firsts != sorted(firsts)


def blocks_of(method: Method, microdata: Microdata, block: int = BLOCK) -> list[np.ndarray]:
    own = KEY.derived(content_digest(microdata, KEY), repr(method).encode())
    secrets = Secrets.of(KEY, microdata, repr(method), block)
    return cut_into_blocks(microdata, method.division(microdata), secrets, block, own)


def test_the_mapping_finds_every_row_again(method):
    table = table_for(method)
    made = publish(method, table)
    frame = read(table).frame()
    for place, name in (
        ("row_in_quasi", "quasi"),
        ("row_in_rows", "rows"),
        ("row_of_age", "quasi"),
    ):
        if place not in made.mapping.columns:
            continue
        published = made.release.tables[name][made.mapping[place].to_numpy()]
        if "group" in published.columns:
            assert published["group"].equals(made.mapping["group"])
        if method.call in ("random", "generalize") or isinstance(method, MaskingMethod):
            # quasi-identifiers are not as they were
            assert published["disease"].equals(frame["disease"])
        elif "age" in published.columns:
            assert published["age"].equals(frame["age"])


def masked(call: str, table: pl.DataFrame, block: int) -> tuple[pl.DataFrame, Publication]:
    """The masked rows in the order of the table's."""
    made = Method.parse(call).publish(read(table), KEY, block=block)
    return made.release.tables["rows"][made.mapping["row_in_rows"].to_numpy()], made


@pytest.mark.parametrize("p", [0, 1, 7.3, 100])
@pytest.mark.parametrize("block", [60, BLOCK, 2000])
def test_ranks_that_are_swapped_are_near_in_the_whole_table(p, block):
    table = hospital_table(900).select(*ROLES)
    table = table.with_columns(age=pl.when(pl.col("age") % 17 > 0).then("age"))
    rows, _ = masked(f"rank_swapping(p={p})", table, block)
    often = dict(table["zip"].value_counts().iter_rows())
    ranked = {"age": [200 if age is None else age for age in table["age"]]}
    # a missing value ranks last, however frequent it is
    ranked["zip"] = [(each is None, -often[each], each or "") for each in table["zip"]]
    for name, before in ranked.items():
        order = {value: place for place, value in enumerate(sorted(set(before)))}
        of_value = dict(zip(table[name], (order[value] for value in before), strict=True))
        ranks = rankdata([order[value] for value in before], method="average")
        rank_of = dict(zip((order[value] for value in before), ranks, strict=True))
        after = np.array([rank_of[of_value[value]] for value in rows[name]])
        moved = np.abs(after - ranks)
        assert moved.max() <= p / 100 * 900 + 1e-9
        assert rows[name].sort().equals(table[name].sort())
        if p > 5 and block >= BLOCK:  # nearly all of the window is used
            assert moved.max() > 0.5 * min(p / 100 * 900, 450)


def test_values_are_swapped_within_a_block_alone():
    table = hospital_table(900).select(*ROLES)
    rows, _ = masked("rank_swapping(p=30)", table, BLOCK)
    microdata = read(table)
    for each in blocks_of(Method.parse("rank_swapping(p=30)"), microdata):
        assert rows["age"].gather(each).sort().equals(table["age"].gather(each).sort())


def test_noise_is_as_large_as_in_the_whole_table():
    table = table_for(Method.parse("noise()"))
    # in blocks of a few rows deviations of their own would be all sorts
    rows, made = masked("noise(scale=0.5)", table, 30)
    told = made.release.masked["age"].noise
    assert told == pytest.approx(0.5 * np.std(table["age"].to_numpy()), rel=1e-5)
    _, whole = masked("noise(scale=0.5)", table, 2000)
    assert dict(made.release.masked) == dict(whole.release.masked)
    moved = (rows["age"] - table["age"]).to_numpy()
    assert abs(moved.std() / told - 1) < 0.1
    near = table["age"].to_numpy() < 40
    assert moved[near].std() == pytest.approx(moved[~near].std(), rel=0.2)


def test_the_rows_of_a_mean_are_near_in_deviations_of_the_whole_table():
    """A column of which a block has one value all the same counts as little as it does in the table."""
    table = table_for(Method.parse("noise()"))
    rows, made = masked("microaggregation(k=3)", table, BLOCK)
    finding = KAnonymity(3).check(made.release)
    assert finding.holds
    assert made.release.manifest.claims[0].achieved == finding.achieved
    whole, _ = masked("microaggregation(k=3)", table, 2000)
    lost = [float(((each["age"] - table["age"]) ** 2).mean()) for each in (rows, whole)]
    assert lost[0] < 2 * lost[1]  # in neighbourhoods, not among any rows
    assert abs(rows["age"].mean() - table["age"].mean()) < 0.5


def test_where_other_columns_are_averaged_a_block_still_has_a_group():
    table = table_for(Method.parse("noise()"))
    call = 'microaggregation(k=40, columns=["zip"])'
    _, made = masked(call, table, 10)
    assert made.release.rows.height == 900
    assert min(each.size for each in blocks_of(Method.parse(call), read(table), 10)) >= 40
    with pytest.raises(CannotAnonymize, match="k = 30"):
        masked(call, table.head(30), 10)


@pytest.mark.parametrize("method", UNDIVIDED, ids=repr)
def test_who_cannot_work_block_by_block_says_why(method):
    roles = {"age": "quasi", "row": "quasi", "disease": "plain"}
    table = hospital_table(50).select("age", "disease").with_row_index("row")
    with pytest.raises(CannotAnonymize) as refusal:
        method.publish(Microdata.read(table, roles), KEY, block=10)
    assert method.undivided in refusal.value.what


def test_a_block_needs_rows():
    with pytest.raises(CallError):
        publish(DIVISIBLE[0], table_for(DIVISIBLE[0]), block=0)


def test_rows_are_hashed_as_spark_does():
    """`SELECT xxhash64(…)` of Apache Spark 4.3."""
    from anonagram.kernels.row_hashes import hash_rows

    codes = np.array([[1, 2, 3], [0, 0, 0], [-1, 7, 2**31 - 1]], np.int32)
    secret = np.array([5, -6], np.int32)
    expected = [-1310921856683023858, -122333597777211043, 2796362931688818318]
    assert hash_rows(codes, secret).view(np.int64).tolist() == expected


def test_rows_that_are_equal_are_dealt_out_too():
    """If they were not, rows in different blocks could not come from equal ones, which would be told."""
    table = pl.DataFrame(
        {"age": [30] * 500 + [40] * 500, "sex": ["F", "M"] * 500, "ill": ["a"] * 1000}
    )
    roles = {"age": "quasi", "sex": "quasi", "ill": "plain"}
    cut = blocks_of(Method.parse("random()"), Microdata.read(table, roles))
    assert all(len(set(table["age"].gather(rows))) == 2 for rows in cut)


def test_tables_with_equal_counts_are_dealt_apart_under_one_key():
    """Whoever has both releases must not know which blocks share their people."""
    table = hospital_table(900).select("age", "sex", "zip").with_row_index("row")
    roles = dict.fromkeys(("age", "sex", "zip", "row"), "quasi")
    # two people change their sex: every value is as frequent as before
    first, second = (table["sex"].to_list().index(each) for each in ("F", "M"))
    sexes = table["sex"].to_list()
    sexes[first], sexes[second] = sexes[second], sexes[first]
    method, places = Method.parse("random()"), []
    for each in (table, table.with_columns(sex=pl.Series(sexes))):
        block_of = np.empty(900, np.int64)
        for number, rows in enumerate(blocks_of(method, Microdata.read(each, roles))):
            block_of[rows] = number
        places.append(block_of)
    assert (places[0] == places[1]).mean() < 0.3  # of six blocks
