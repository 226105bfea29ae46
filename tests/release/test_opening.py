"""A bundle can be opened without loading its tables; what is checked when is promised in docs/release.md."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from anonagram import Release
from anonagram.errors import ReleaseDamaged
from anonagram.release import StoredTable
from anonagram.release.descriptor import CHUNK, DESCRIPTOR, digest_of, hash_of, hash_stream
from tests.release.forging import METHODS, release_of
from tests.release.test_strangers import private_file

METHOD = METHODS[0]


@pytest.fixture
def folder(tmp_path) -> Path:
    release_of(METHOD).write(tmp_path / "release", page=False)
    return tmp_path / "release"


def sign(folder: Path, content: dict) -> None:
    content["anonagram"]["digest"] = digest_of(content)
    (folder / DESCRIPTOR).write_text(json.dumps(content))


def flip(path: Path) -> None:
    """Another byte in the middle: as long as before."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "form"), [("r", "parquet"), ("r", "csv"), ("r.zip", "parquet")])
def test_scanned_tables_are_the_loaded_ones(tmp_path, method, name, form):
    release_of(method).write(tmp_path / name, form, page=False)
    opened, loaded = Release.open(tmp_path / name), Release.read(tmp_path / name)
    assert opened.manifest == loaded.manifest
    assert opened.shape is type(loaded)
    assert set(opened.tables) == set(loaded.tables)
    for table, stored in opened.tables.items():
        assert stored.schema == dict(loaded.tables[table].schema)
        assert stored.rows == loaded.tables[table].height
        assert stored.frame.collect().equals(loaded.tables[table])


def test_opening_reads_no_table(folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("a table was read")

    for verb in ("frame", "load"):
        monkeypatch.setattr(StoredTable, verb, property(refuse))
    opened = Release.open(folder)
    assert opened.manifest.rows.published == 24
    assert opened.tables["quasi"].rows == 24


def test_edited_table_is_noticed_when_it_is_used(folder):
    flip(folder / "quasi.parquet")
    opened = Release.open(folder)
    assert opened.tables["sensitive"].frame.collect().height
    for use in (lambda: opened.tables["quasi"].frame, opened.load, lambda: Release.read(folder)):
        with pytest.raises(ReleaseDamaged, match=r"quasi\.parquet was changed"):
            use()


def test_what_is_put_in_its_place_later_is_not_read(folder, tmp_path):
    opened = Release.open(folder)
    before = opened.tables["quasi"].frame
    expected = before.collect()
    other = expected.head(3)
    other.write_parquet(tmp_path / "other")
    os.replace(tmp_path / "other", folder / "quasi.parquet")
    assert opened.tables["quasi"].frame.collect().equals(expected)
    assert before.select(pl.len()).collect().item() == expected.height
    with pytest.raises(ReleaseDamaged, match="bytes instead of"):
        opened.load()


def test_what_is_put_in_its_place_before_is_refused(folder, tmp_path):
    path = folder / "quasi.parquet"
    content = path.read_bytes()
    (tmp_path / "same").write_bytes(content)
    opened = Release.open(folder)
    for make in (
        lambda: path.write_bytes(content + b"PAR1"),
        lambda: path.write_bytes(content[:-1]),
        lambda: path.symlink_to(tmp_path / "same"),
        lambda: os.mkfifo(path),
        path.mkdir,
    ):
        path.unlink(missing_ok=True)
        make()
        for use in (lambda: opened.tables["quasi"].frame, opened.load):
            with pytest.raises(ReleaseDamaged, match=r"quasi\.parquet"):
                use()


def test_longer_file_is_not_hashed_to_its_end():
    content = os.urandom(3 * CHUNK // 2)
    for size in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, len(content)):
        part = content[:size]
        assert hash_stream(io.BytesIO(part), size) == f"sha256:{hashlib.sha256(part).hexdigest()}"
        assert hash_stream(io.BytesIO(part), size) == hash_of(part)
        longer = io.BytesIO(part + bytes(2 * CHUNK))
        assert hash_stream(longer, size) != hash_of(part)
        assert longer.tell() == size + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "key.txt").write_text("08" * 32), "not listed"),
        (lambda f: (f / "quasi.parquet").unlink(), r"no file quasi\.parquet"),
        (lambda f: (f / "quasi.parquet").write_bytes(b"PAR1"), "4 bytes instead of"),
        (lambda f: (f / DESCRIPTOR).write_text("{}"), "does not describe"),
        (lambda f: flip(f / DESCRIPTOR), "datapackage"),
    ],
)
def test_what_needs_no_table_is_checked_when_opening(folder, change, message):
    change(folder)
    with pytest.raises(ReleaseDamaged, match=message):
        Release.open(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["anonagram"]["tables"][0]["rows"].update(original=3), "malformed"),
        (lambda c: c["anonagram"].update(layout={}), "does not name the columns"),
        (lambda c: c["anonagram"].update(masked={"columns": {}}), "no section 'masked'"),
        (lambda c: c["resources"][0].update(rows=10**12), "rows cannot be in it"),
        (lambda c: c["resources"][0]["schema"]["fields"][0].update(dtype="Odd"), "unknown type"),
        (lambda c: c["resources"][0].update(name="extra"), "no table 'quasi'"),
    ],
)
def test_descriptor_that_lies_is_noticed_when_opening(folder, change, message):
    content = json.loads((folder / DESCRIPTOR).read_text())
    change(content)
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match=message):
        Release.open(folder)


def test_tables_that_are_not_the_shapes_are_named_when_opening(folder, tmp_path):
    content = json.loads((folder / DESCRIPTOR).read_text())
    entry = dict(content["resources"][0])
    (folder / "more.parquet").write_bytes((folder / "quasi.parquet").read_bytes())
    content["resources"].append(entry | {"name": "more", "path": "more.parquet"})
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match="'more', which no anatomized"):
        Release.open(folder)
    secret = private_file(tmp_path / "p")
    (folder / "more.parquet").write_bytes(secret)
    content["resources"][-1] |= {"bytes": len(secret), "hash": hash_of(secret)}
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match="whoever has it can undo the release"):
        Release.open(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.with_columns(pl.col("height").cast(pl.Float32)), "does not hold the table"),
        (lambda t: t.head(20), "does not hold the table"),
        (lambda t: t.drop("note"), "does not hold the table"),
    ],
)
def test_table_that_is_not_the_one_told_is_noticed_when_it_is_used(folder, change, message):
    content = json.loads((folder / DESCRIPTOR).read_text())
    path = folder / "quasi.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    forged = path.read_bytes()
    (entry,) = [each for each in content["resources"] if each["name"] == "quasi"]
    entry |= {"bytes": len(forged), "hash": hash_of(forged)}
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match=message):
        _ = Release.open(folder).tables["quasi"].frame


MEMORY = """
import re, sys
from anonagram import Release
import polars as pl
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
Release.open(sys.argv[2]).tables["rows"].frame.select(pl.col("a").sum()).collect()
before = peak()
if sys.argv[3] == "open":
    total = Release.open(sys.argv[1]).tables["rows"].frame.select(pl.col("a").sum()).collect().item()
else:
    total = Release.read(sys.argv[1]).tables["rows"]["a"].sum()
print(total, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the peak on Linux")
def test_scanning_takes_the_memory_of_what_is_asked_for(tmp_path):
    small = release_of("noise(scale=0.2, columns=['age', 'pay'])")
    (told,), column = small.manifest.tables, small.manifest.columns[0]
    rows = 1_000_000
    names = tuple("abcdefgh")
    described = replace(
        told,
        rows=replace(told.rows, original=rows, published=rows),
        columns=tuple(replace(column, name=name) for name in names),
    )
    numbers = pl.int_range(rows, eager=True)
    table = pl.DataFrame({name: numbers.shuffle(seed) for seed, name in enumerate(names)})
    manifest = replace(
        small.manifest, tables=(described,), section=replace(small.manifest.section, columns={})
    )
    sizes = {}
    replace(small, manifest=manifest, rows=table).write(tmp_path / "large", page=False)
    few = replace(described, rows=replace(told.rows, original=5, published=5))
    manifest = replace(manifest, tables=(few,))
    replace(small, manifest=manifest, rows=table.head(5)).write(tmp_path / "few", page=False)
    for how in ("open", "read"):
        script = [sys.executable, "-c", MEMORY, tmp_path / "large", tmp_path / "few", how]
        done = subprocess.run(script, check=True, capture_output=True, text=True)
        total, sizes[how] = map(int, done.stdout.split())
        assert total == numbers.sum()
    in_memory = rows * 8 * len(names)
    assert sizes["open"] < in_memory / 2 < in_memory < sizes["read"]


@pytest.mark.parametrize("name", ["release", "release.zip"])
def test_a_bundle_that_is_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch, name):
    """Its descriptor was the old one's, its tables are the new one's: neither was damaged."""
    old, new = (release_of(method) for method in METHODS[:2])
    old.write(tmp_path / name, page=False)
    load, turns = StoredTable.load, iter([True])

    def replaced_first(table: StoredTable) -> pl.DataFrame:
        if next(turns, False):
            new.write(tmp_path / name, page=False, force=True)
        return load(table)

    monkeypatch.setattr(StoredTable, "load", replaced_first)
    assert Release.read(tmp_path / name).manifest == new.manifest


def test_a_damaged_bundle_is_read_once(folder, monkeypatch):
    table = next(folder.glob("*.parquet"))
    flip(table)
    load, turns = StoredTable.load, []
    monkeypatch.setattr(StoredTable, "load", lambda table: turns.append(1) or load(table))
    with pytest.raises(ReleaseDamaged, match="was changed"):
        Release.read(folder)
    assert len(turns) <= len(list(folder.glob("*.parquet")))
