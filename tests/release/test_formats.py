"""Bundles of every format that was ever written are read; see `bundles/README.md`."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from anonagram import Release
from anonagram.errors import AnonagramError, ReleaseDamaged
from anonagram.release import DescribedTable, Manifest, PublishedColumn, Rows
from anonagram.release.descriptor import DESCRIPTOR, digest_of
from anonagram.release.migrations import FORMAT, STEPS, WHOLE
from anonagram.verify import verify
from tests.release.forging import METHODS, descriptor_of, outcome_of, release_of, write_forged

BUNDLES = Path(__file__).parent / "bundles"
RECORD = {"age": 34, "height": 1.6, "pay": 32}
ANATOMY = "anatomy(l=2)"
RENAMED = ("deviation_over_matchings", "std_error")
"""A figure of answers that had another name when the expected ones were written down."""


def stored(name: str) -> Path:
    return BUNDLES / (name if (BUNDLES / name).exists() else f"{name}.zip")


def plain(content: Any) -> Any:
    """As JSON brings it back, with the digits that every machine agrees on."""
    return json.loads(json.dumps(content, default=str), parse_float=_rounded)


def _rounded(text: str) -> float:
    return float(f"{float(text):.12g}")


TOLD = {path.stem: plain(json.loads(path.read_text())) for path in sorted(BUNDLES.glob("*.json"))}


def test_every_shape_and_variant_is_stored():
    formats = [json.loads((p / DESCRIPTOR).read_text()) for p in BUNDLES.iterdir() if p.is_dir()]
    abouts = [content["anonagram"] for content in formats]
    # shapes that came later were never written in another format
    first = {"anatomized", "generalized", "masked", "permuted", "perturbed"}
    assert {told["shape"] for told in TOLD.values()} == first
    for entry in ("key_salt", "transition", "masked"):
        assert {entry in about for about in abouts} == {True, False}
    assert set(STEPS) == set(range(1, FORMAT))


@pytest.mark.parametrize("name", TOLD)
def test_tables_of_an_old_bundle_are_the_same(name):
    release = Release.read(stored(name))
    assert release.shape == TOLD[name]["shape"]
    found = {
        table: {
            "types": [str(d) for d in frame.dtypes],
            "rows": plain(json.loads(frame.write_json())),
        }
        for table, frame in release.tables.items()
    }
    assert found == TOLD[name]["tables"]


@pytest.mark.parametrize("name", TOLD)
def test_manifest_of_an_old_bundle_tells_the_same(name):
    release, old = Release.read(stored(name)), TOLD[name]["manifest"]
    manifest, (table,) = release.manifest, release.manifest.tables
    for same in ("method", "layout", "key_commitment", "risk", "utility", "created", "software"):
        assert plain(getattr(manifest, same)) == old[same]
    assert plain([asdict(claim) for claim in manifest.claims]) == old["claims"]
    assert manifest.key_salt == old.get("key_salt", "")
    assert table.name == "data"
    assert table.rows == Rows(old["rows"], old["rows"], old["suppressed_rows"], 0)
    assert table.dropped_columns == old["dropped_columns"] == 1
    assert plain([asdict(column) for column in table.columns]) == [
        {
            "order": None,
            "label": None,
            "labels": None,
            "hierarchy": None,
            "original": None,
            **column,
        }
        for column in old["columns"]
    ]
    if release.shape == "perturbed":
        assert plain(asdict(release.transition)) == old["transition"]
    told = {n: how if isinstance(how, dict) else {"how": how} for n, how in _masked(old).items()}
    assert set(release.masked) == set(told)
    for column, masking in release.masked.items():
        assert plain(asdict(masking)) | told[column] == plain(asdict(masking))


def _masked(old: dict[str, Any]) -> dict[str, Any]:
    return old.get("masked", {})


@pytest.mark.parametrize("name", [name for name in TOLD if TOLD[name]["answers"]])
def test_old_bundle_answers_the_same(name):
    release = Release.read(stored(name))
    for question, expected in TOLD[name]["answers"].items():
        if isinstance(expected, str):  # refused, with this reason
            with pytest.raises(AnonagramError, match=expected[:40]):
                release.query(question)
        else:
            found = json.dumps(release.query(question).to_dicts(), default=str)
            assert _as_then(plain(json.loads(found.replace(*RENAMED)))) == expected


def _as_then(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers as they were told before the better of two estimates was taken: the corrected one."""
    for answer in (each for row in rows for each in row.values() if isinstance(each, dict)):
        if answer.pop("taken", None) is not None:
            answer["estimate"] = answer.pop("corrected")
    return rows


@pytest.mark.parametrize("name", [name for name in TOLD if "verified" in TOLD[name]])
def test_old_bundle_tells_its_subjects_the_same(name):
    found = plain(verify(Release.read(stored(name)), RECORD).to_dict())
    assert _known_to(TOLD[name]["verified"], found) == TOLD[name]["verified"]


def _known_to(then: Any, now: Any) -> Any:
    """What is told now, without the entries that were not told then."""
    if isinstance(then, dict):
        return {part: _known_to(then[part], now[part]) for part in then}
    if isinstance(then, list) and len(then) == len(now):
        return [_known_to(*each) for each in zip(then, now, strict=True)]
    return now


@pytest.mark.parametrize("name", TOLD)
def test_old_bundle_written_again_is_a_new_one(name, tmp_path):
    old = Release.read(stored(name))
    old.write(tmp_path / "new", page=False)
    content = json.loads((tmp_path / "new" / DESCRIPTOR).read_text())
    again = Release.read(tmp_path / "new")
    assert content["anonagram"]["format"] == WHOLE
    assert again.manifest == old.manifest
    assert all(again.tables[table].equals(frame) for table, frame in old.tables.items())


def test_edited_old_bundle_is_noticed(tmp_path):
    shutil.copytree(BUNDLES / "anatomized-first", tmp_path / "r")
    path = tmp_path / "r" / DESCRIPTOR
    path.write_text(path.read_text().replace('"achieved": 2', '"achieved": 3'))
    with pytest.raises(ReleaseDamaged, match="was changed after"):
        Release.read(tmp_path / "r")


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 24.0},
        {"rows": 23},
        {"suppressed_rows": -1},
        {"suppressed_rows": 1},
        {"dropped_columns": 0.5},
        {"columns": None},
        {"transition": {"attributes": 1, "replaced": {"age": 1.0}}},
        {"masked": {"age": {"how": "moved"}}},
        {"masked": ["age"]},
        {"claims": [{"model": 5, "achieved": 2}]},
    ],
)
def test_old_bundle_that_says_what_cannot_be_is_refused(tmp_path, change):
    shutil.copytree(BUNDLES / "anatomized", tmp_path / "r")
    content = json.loads((tmp_path / "r" / DESCRIPTOR).read_text())
    content["anonagram"] |= change
    content["anonagram"]["digest"] = digest_of(content)
    (tmp_path / "r" / DESCRIPTOR).write_text(json.dumps(content))
    with pytest.raises(ReleaseDamaged):
        Release.read(tmp_path / "r")


def with_additions(content: Any) -> Any:
    """Whatever may be added later, everywhere a later version may add it."""
    if isinstance(content, list):
        return [with_additions(each) for each in content]
    if not isinstance(content, dict):
        return content
    inner = {name: with_additions(value) for name, value in content.items()}
    # names of these are the data's own, or figures by name: nothing is added there
    free = {"layout", "risk", "utility", "replaced"}
    return inner | {
        name: content[name] for name in free & set(content)
    } | {"added later": {"what": ["nobody", "knows"]}}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_entries_that_a_later_version_adds_are_left_out(method, tmp_path):
    content = with_additions(json.loads(descriptor_of(method)))
    if (masked := content["anonagram"].get("masked")) is not None:
        del masked["columns"]["added later"]  # names of columns stand there
    write_forged(tmp_path / "r", content, dict(release_of(method).tables))
    assert outcome_of(tmp_path / "r") == ("works", [])
    assert Release.read(tmp_path / "r").manifest == release_of(method).manifest


def test_section_that_a_shape_gets_later_is_left_out(tmp_path):
    content = json.loads(descriptor_of(ANATOMY))
    content["anonagram"]["anatomized"] = {"added later": 1}
    write_forged(tmp_path / "r", content, dict(release_of(ANATOMY).tables))
    assert Release.read(tmp_path / "r").manifest == release_of(ANATOMY).manifest


def test_digest_covers_what_is_left_out(tmp_path):
    content = json.loads(descriptor_of(ANATOMY))
    content["anonagram"]["added later"] = 1
    write_forged(tmp_path / "r", content, dict(release_of(ANATOMY).tables))
    path = tmp_path / "r" / DESCRIPTOR
    path.write_text(path.read_text().replace('"added later": 1', '"added later": 2'))
    with pytest.raises(ReleaseDamaged, match="was changed after"):
        Release.read(tmp_path / "r")


def test_two_tables_may_have_a_column_of_one_name():
    tables = tuple(
        DescribedTable(name, Rows.all_of(3), (PublishedColumn("name", role, "nominal"),))
        for name, role in (("people", "quasi"), ("shops", "plain"))
    )
    manifest = Manifest("by hand", tables, {}, "")
    assert manifest.column("name", "people").role == "quasi"
    assert manifest.column("name", "shops").role == "plain"
    assert manifest.table("shops").rows.original == 3
    assert manifest.with_layout(["name"]).layout == {"name": "name_"}
    with pytest.raises(AnonagramError, match="2 tables"):
        manifest.column("name")
    with pytest.raises(ValueError, match="twice"):
        Manifest("by hand", (tables[0], tables[0]), {}, "")
