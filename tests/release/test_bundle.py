"""Reading is strict: whatever was done to a bundle, the error names the file and what is wrong."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import AnonagramError, CannotWrite, ReleaseDamaged
from anonagram.release import Rows
from anonagram.release.datatypes import MOMENT, dtype_of, dtype_text, from_csv_form, to_csv_form
from anonagram.release.descriptor import DESCRIPTOR, digest_of
from tests.tables import PATIENT_SCHEMA, PATIENTS, anatomized


@pytest.fixture
def release():
    return Anatomy(l=2).anonymize(Microdata.read(PATIENTS, PATIENT_SCHEMA), Key(bytes(32)))


@pytest.fixture
def folder(release, tmp_path):
    release.write(tmp_path / "release", "csv")
    return tmp_path / "release"


def edit_descriptor(folder, change, *, sign=True):
    path = folder / DESCRIPTOR
    content = json.loads(path.read_text())
    change(content)
    if sign:
        content["anonagram"]["digest"] = digest_of(content)
    path.write_text(json.dumps(content))


def columns_of(content):
    return content["anonagram"]["tables"][0]["columns"]


def test_truncated_at_every_length_is_noticed(folder):
    for name in ("quasi.csv", "sensitive.csv", DESCRIPTOR):
        content = (folder / name).read_bytes()
        for length in range(0, len(content) - 1, max(1, len(content) // 40)):
            (folder / name).write_bytes(content[:length])
            with pytest.raises(ReleaseDamaged, match=name.replace(".", r"\.")):
                Release.read(folder)
        (folder / name).write_bytes(content)
    assert Release.read(folder)


def test_bundle_from_before_commitments_had_salts_is_read(folder):
    edit_descriptor(folder, lambda content: content["anonagram"].pop("key_salt"))
    assert Release.read(folder).manifest.key_salt == ""


@pytest.mark.parametrize("salt", [None, 1, "ab", "Z" * 64, "ab" * 33])
def test_salt_that_is_none_is_noticed(folder, salt):
    edit_descriptor(folder, lambda content: content["anonagram"].update(key_salt=salt))
    with pytest.raises(ReleaseDamaged, match="manifest is malformed"):
        Release.read(folder)


def test_edited_table_is_noticed(folder):
    path = folder / "sensitive.csv"
    path.write_text(path.read_text().replace("Flu", "Flo"))
    with pytest.raises(ReleaseDamaged, match=r"sensitive\.csv was changed"):
        Release.read(folder)


def test_edited_claim_is_noticed(folder):
    edit_descriptor(folder, lambda c: c["anonagram"]["claims"][0].update(achieved=10), sign=False)
    with pytest.raises(ReleaseDamaged, match=r"datapackage\.json was changed"):
        Release.read(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["anonagram"].update(format=99), "newer software"),
        (lambda c: c["anonagram"].update(format="1"), "format '1'"),
        (lambda c: c["anonagram"].update(shape="origami"), "unknown shape"),
        (lambda c: c["anonagram"].pop("method"), "method"),
        (lambda c: c["anonagram"].update(tables=[]), "tells of"),
        (lambda c: c["anonagram"]["tables"].append(c["anonagram"]["tables"][0]), "twice"),
        (lambda c: c["anonagram"]["tables"][0].update(name="people"), "tells of"),
        (lambda c: columns_of(c)[0].pop("role"), r"role` - at `\$\.tables\[0\]\.columns\[0\]"),
        (lambda c: columns_of(c).pop(0), "has the columns"),
        (lambda c: columns_of(c).append(columns_of(c)[0]), "twice"),
        (lambda c: c["resources"].pop(), "sensitive"),
        (lambda c: c["resources"][0].pop("hash"), "hash"),
        (lambda c: c["resources"][0].update(path="../../etc/passwd"), "not a file of the bundle"),
        (lambda c: c["resources"][0].update(rows=3), "does not hold the table"),
        (lambda c: c["resources"][0]["schema"]["fields"][1].update(dtype="Mystery"), "Mystery"),
        (
            lambda c: c["resources"][0]["schema"]["fields"][2].update(dtype="Int64"),
            "cannot be read",
        ),
        (lambda c: c.pop("anonagram"), "does not describe"),
        (lambda c: c.update(resources={}), "does not describe"),
        (lambda c: c.update(resources=["x"]), r"malformed.*resources\[0\]"),
        (lambda c: c["resources"].append(c["resources"][0]), "twice"),
        (lambda c: c["resources"][0].update(bytes=None), r"malformed.*resources\[0\]\.bytes"),
        (lambda c: c["resources"][0].update(schema=[]), r"malformed.*resources\[0\]\.schema"),
        (lambda c: c["resources"][0].update(format="xlsx"), r"malformed.*resources\[0\]\.format"),
        (lambda c: c["resources"][0].update(rows=-1), r"malformed.*resources\[0\]\.rows"),
        (lambda c: c["anonagram"].update(page={"path": "x"}), r"malformed.*\$\.page"),
        (lambda c: c["resources"][0].update(path="a\0b"), "not listed"),
        (lambda c: c["anonagram"].update(layout=[]), "malformed"),
        (lambda c: c["anonagram"].update(method=5), "malformed"),
        (lambda c: c["anonagram"].update(risk={"a": "x"}), "malformed"),
        (lambda c: c["anonagram"]["claims"][0].update(model=5), "malformed"),
        (lambda c: columns_of(c)[0].update(kind="bogus"), "malformed"),
        (lambda c: c["anonagram"].update(format=True), "format True"),
        (lambda c: c["anonagram"].update(format=0), "format 0"),
        (lambda c: c["anonagram"].update(shape=[]), "not understood"),
    ],
)
def test_descriptor_that_lies_is_noticed(folder, change, message):
    edit_descriptor(folder, change, sign=message != "does not describe")
    with pytest.raises(ReleaseDamaged, match=message) as error:
        Release.read(folder)
    assert str(folder) in error.value.what


def test_tables_that_disagree_are_noticed(release, tmp_path):
    (attribute, sensitive), *_ = release.sensitive.items()
    counted = sensitive.with_columns(count=pl.col("count") + 1)
    type(release)(release.manifest, release.quasi, {attribute: counted}).write(tmp_path / "bad")
    with pytest.raises(ReleaseDamaged, match="disagree about the rows of group"):
        Release.read(tmp_path / "bad")
    lost = sensitive.filter(pl.col("group") != 1)
    type(release)(release.manifest, release.quasi, {attribute: lost}).write(tmp_path / "worse")
    with pytest.raises(ReleaseDamaged, match="group 1"):
        Release.read(tmp_path / "worse")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"group": [1, 1, 1, 1], "s": ["a"] * 4, "count": [1, 1, 1, 1]}, "counts a value twice"),
        ({"group": [1, 1], "s": ["a", "b"], "count": [4, 0]}, "count below 1"),
        ({"group": [1, 1], "s": ["a", "b"], "count": [9, -5]}, "count below 1"),
        ({"group": [1, None], "s": ["a", "b"], "count": [3, 1]}, "disagree"),
    ],
)
def test_counts_that_would_fool_a_check_are_noticed(tmp_path, counts, message):
    honest = anatomized([1, 1, 1, 1], ["a", "a", "a", "a"])
    table = pl.DataFrame(counts, schema_overrides={"group": pl.Int32})
    type(honest)(honest.manifest, honest.quasi, {"s": table}).write(tmp_path / "r", page=False)
    with pytest.raises(ReleaseDamaged, match=message):
        Release.read(tmp_path / "r")


def test_empty_release_is_noticed(release, tmp_path):
    (table,) = release.manifest.tables
    manifest = replace(release.manifest, tables=(replace(table, rows=Rows.all_of(0)),))
    empty = {attribute: table.clear() for attribute, table in release.sensitive.items()}
    type(release)(manifest, release.quasi.clear(), empty).write(tmp_path / "r")
    with pytest.raises(ReleaseDamaged, match="0 rows"):
        Release.read(tmp_path / "r")


def test_foreign_data_package_is_not_replaced(release, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / DESCRIPTOR).write_text('{"name": "my data"}')
    with pytest.raises(CannotWrite, match="does not replace it"):
        release.write(tmp_path / "mine", force=True)


@pytest.mark.parametrize(
    "text", ['{"a": "\\ud800"}', "1" * 5000, "[" * 100_000, '{"a": 1, "a": 2}', "null", "[]"]
)
def test_hostile_descriptor_is_refused(folder, text):
    (folder / DESCRIPTOR).write_text(text)
    with pytest.raises(ReleaseDamaged, match=r"datapackage|not understood"):
        Release.read(folder)


def test_missing_pieces_are_named(folder, tmp_path):
    (folder / "quasi.csv").unlink()
    with pytest.raises(ReleaseDamaged, match=r"no file quasi\.csv"):
        Release.read(folder)
    with pytest.raises(ReleaseDamaged, match="There is no release at"):
        Release.read(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReleaseDamaged, match=r"no file datapackage\.json"):
        Release.read(tmp_path / "empty")
    (tmp_path / "note.txt").write_text("hello")
    with pytest.raises(ReleaseDamaged, match=r"neither a folder nor.*\n.*audit"):
        Release.read(tmp_path / "note.txt")


def test_damaged_zip_is_noticed(release, tmp_path):
    release.write(tmp_path / "r.zip")
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        archive.extractall(tmp_path / "out")
    assert Release.read(tmp_path / "out").manifest == release.manifest
    content = (tmp_path / "r.zip").read_bytes()
    for position in range(0, len(content), 61):  # flags, sizes, compression kinds, contents
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        (tmp_path / "bad.zip").write_bytes(bytes(damaged))
        try:
            again = Release.read(tmp_path / "bad.zip")
        except ReleaseDamaged:
            continue
        assert again.manifest == release.manifest, "a byte that nobody reads"


def test_descriptor_follows_the_data_package_standard(folder):
    content = json.loads((folder / DESCRIPTOR).read_text())
    assert content["$schema"].startswith("https://datapackage.org/profiles/2")
    for resource in content["resources"]:
        assert (folder / resource["path"]).stat().st_size == resource["bytes"]
        assert {"name", "path", "schema", "format", "mediatype", "encoding"} <= set(resource)
    sensitive = content["resources"][1]["schema"]
    assert sensitive["primaryKey"] == ["group", "disease"]
    assert sensitive["foreignKeys"][0]["reference"]["resource"] == "quasi"


def test_existing_bundle_is_kept_unless_forced(release, folder):
    with pytest.raises(CannotWrite, match="force=True"):
        release.write(folder)
    release.write(folder, "parquet", force=True)
    assert sorted(path.name for path in folder.iterdir()) == [
        "datapackage.json", "quasi.parquet", "sensitive.parquet", "verify.html",
    ]  # fmt: skip


def test_force_never_replaces_what_is_not_a_release(release, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("years of work")
    (tmp_path / "file.zip").write_text("not a zip")
    for name in ("home", "file.zip"):
        with pytest.raises(CannotWrite, match="does not replace it"):
            release.write(tmp_path / name, force=True)
    assert (tmp_path / "home" / "thesis.txt").read_text() == "years of work"


ALL_TYPES = pl.DataFrame(
    {
        "int": pl.Series([1, None, -3], dtype=pl.Int16),
        "big": pl.Series([2**63, None, 0], dtype=pl.UInt64),
        "real": [0.1, None, -1e300],
        "text": ["", None, 'q"uo,te\n'],
        "zero": ["007", "1.0", None],
        "flag": [True, None, False],
        "day": [date(1900, 1, 1), None, date(2400, 12, 31)],
        "clock": [time(1, 2, 3, 4), None, time(23, 59)],
        "naive": [datetime(2020, 1, 1, 1, 2, 3, 456789), None, datetime(1970, 1, 1)],
        "aware": pl.Series(
            [
                datetime(2020, 7, 1, tzinfo=UTC),
                None,
                datetime(2020, 1, 1, tzinfo=UTC),
            ]
        ).dt.convert_time_zone("Europe/Madrid"),
        "stay": [timedelta(days=2, microseconds=5), None, timedelta(0)],
        "money": [Decimal("1.10"), None, Decimal("-20.00")],
        "texts": [["a", None, 'q"\\,\n\x01'], None, []],
        "days": [[date(2020, 1, 1), None], [], None],
        "clocks": [[time(1, 2, 3, 4), None], None, [time(5)]],
        "moments": [[datetime(2020, 1, 1, 1, 2, 3, 456789)], [], None],
        "zoned": pl.Series([[datetime(2020, 7, 1, tzinfo=UTC)], None, []]).cast(
            pl.List(pl.Datetime("us", "Europe/Madrid"))
        ),
        "stays": [[timedelta(days=2, microseconds=5), None], None, []],
        "flags": [[True, None, False], None, []],
        "numbers": pl.Series([[1, None], None, [-3]], dtype=pl.List(pl.Int32)),
    }
)


def test_every_type_survives_csv():
    import io

    buffer = io.BytesIO()
    to_csv_form(ALL_TYPES).write_csv(buffer, datetime_format=MOMENT)
    buffer.seek(0)
    texts = pl.scan_csv(buffer, infer_schema=False)
    again = from_csv_form(texts, dict(ALL_TYPES.schema)).collect()
    assert again.schema == ALL_TYPES.schema
    assert again.equals(ALL_TYPES)


def test_every_type_is_written_and_read_by_name():
    for dtype in ALL_TYPES.schema.values():
        assert dtype_of(dtype_text(dtype)) == dtype


def test_every_error_is_ours(folder, tmp_path):
    """Random damage to any byte of the descriptor never escapes as another exception."""
    original = (folder / DESCRIPTOR).read_bytes()
    for position in range(0, len(original), 37):
        shutil.copytree(folder, tmp_path / "copy", dirs_exist_ok=True)
        damaged = bytearray(original)
        damaged[position] = ord("}") if damaged[position] != ord("}") else ord("0")
        (tmp_path / "copy" / DESCRIPTOR).write_bytes(bytes(damaged))
        with pytest.raises(AnonagramError):
            Release.read(tmp_path / "copy")


def test_labels_are_public_and_change_no_table(tmp_path):
    roles = {"age": "quasi", "dx": {"role": "sensitive", "kind": "nominal"}}
    told = roles | {"dx": {**roles["dx"], "label": "Diagnosis", "labels": {"250.83": "Diabetes"}}}
    table = {"age": [20, 30, 40, 50], "dx": ["250.83", "1", "2", "3"]}
    plain, labelled = (
        Anatomy(l=4).anonymize(Microdata.read(table, each), Key(bytes(32)))
        for each in (roles, told)
    )
    labelled.write(tmp_path / "release")
    again = Release.read(tmp_path / "release")
    assert all(again.tables[name].equals(frame) for name, frame in plain.tables.items())
    column = again.manifest.column("dx")
    assert (column.title, column.told("250.83"), column.told("1")) == (
        "Diagnosis", "Diabetes (250.83)", "1",
    )  # fmt: skip
    fields = json.loads((tmp_path / "release/datapackage.json").read_text())["resources"][1]
    assert fields["schema"]["fields"][1]["title"] == "Diagnosis"
