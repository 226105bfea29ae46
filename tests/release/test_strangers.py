"""What lies in a bundle without belonging to it is named; what would never end is not begun."""

from __future__ import annotations

import json
import os
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from anonagram import Anatomy, Key, Microdata, Release
from anonagram.errors import CannotWrite, ReleaseDamaged
from anonagram.release import PrivateFile
from anonagram.release.descriptor import DESCRIPTOR, digest_of, hash_of
from tests.runtime.test_atomic import make_release
from tests.tables import PATIENT_SCHEMA, PATIENTS


@pytest.fixture
def folder(tmp_path) -> Path:
    make_release().write(tmp_path / "release", page=False)
    return tmp_path / "release"


def add(bundle: Path, name: str, content: bytes) -> None:
    """Put a file into a folder or a .zip."""
    if bundle.is_dir():
        (bundle / name).parent.mkdir(exist_ok=True)
        (bundle / name).write_bytes(content)
        return
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr(name, content)


def private_file(path: Path) -> bytes:
    key = Key(bytes(32))
    publication = Anatomy(l=2).publish(Microdata.read(PATIENTS, PATIENT_SCHEMA), key)
    PrivateFile(key, "anatomy(l=2)", date(2020, 1, 2), publication.mapping).write(path)
    return path.read_bytes()


def sign(folder: Path, content: dict) -> None:
    content["anonagram"]["digest"] = digest_of(content)
    (folder / DESCRIPTOR).write_text(json.dumps(content))


@pytest.mark.parametrize("kind", ["release", "release.zip"])
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("key.txt", "key.txt"),
        ("patients.csv", "patients.csv"),
        (".DS_Store", ".DS_Store"),
        ("notes/inner.txt", "notes/"),
        ("datapackage.json.bak", "datapackage.json.bak"),
        ("sensitive_2.parquet", "sensitive_2.parquet"),
    ],
)
def test_file_that_nobody_listed_is_named(tmp_path, anonagram, kind, name, shown):
    make_release().write(tmp_path / kind)
    add(tmp_path / kind, name, b"ab" * 32)
    with pytest.raises(ReleaseDamaged, match="not listed") as told:
        Release.read(tmp_path / kind)
    assert shown in told.value.what
    assert "take it out" in told.value.remedy
    if name == "key.txt":
        done = anonagram("check", tmp_path / kind)
        assert (done.returncode, "key.txt" in done.stderr, done.stdout) == (2, True, "")


def test_empty_subfolder_is_named(folder):
    (folder / "empty").mkdir()
    with pytest.raises(ReleaseDamaged, match="empty/"):
        Release.read(folder)


@pytest.mark.parametrize("kind", ["release", "release.zip"])
@pytest.mark.parametrize("name", ["mine", "a.parquet"])
def test_private_file_inside_gets_the_stronger_words(tmp_path, kind, name):
    make_release().write(tmp_path / kind)
    add(tmp_path / kind, name, private_file(tmp_path / "p"))
    with pytest.raises(ReleaseDamaged, match="whoever has it can undo the release"):
        Release.read(tmp_path / kind)


def test_private_file_that_is_listed_is_refused_too(folder, tmp_path):
    content = json.loads((folder / DESCRIPTOR).read_text())
    secret = private_file(tmp_path / "p")
    (folder / "mine.parquet").write_bytes(secret)
    entry = {**content["resources"][0], "name": "mine", "path": "mine.parquet"}
    content["resources"].append({**entry, "bytes": len(secret), "hash": hash_of(secret)})
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match="whoever has it can undo the release"):
        Release.read(folder)


def test_table_that_the_shape_does_not_know_is_named(folder):
    """Listed and signed: somebody who writes descriptors put the original beside the tables."""
    content = json.loads((folder / DESCRIPTOR).read_text())
    table = (folder / "quasi.parquet").read_bytes()
    (folder / "original.parquet").write_bytes(table)
    content["resources"].append(
        {**content["resources"][0], "name": "original", "path": "original.parquet"}
    )
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match="'original', which no anatomized"):
        Release.read(folder)


def test_force_does_not_delete_what_is_not_the_releases_own(folder):
    (folder / "key.txt").write_text("ab" * 32)
    with pytest.raises(CannotWrite, match=r"also holds key\.txt"):
        make_release(3).write(folder, force=True)
    assert (folder / "key.txt").exists()


def refused_at_once(path: Path, message: str) -> None:
    """After little work; a clock would also count what else the machine does."""
    began = time.process_time()
    with pytest.raises(ReleaseDamaged, match=message):
        Release.read(path)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("name", ["quasi.parquet", DESCRIPTOR])
def test_pipe_device_or_link_is_no_file(folder, tmp_path, name):
    (tmp_path / "elsewhere").write_bytes((folder / name).read_bytes())
    for make in (os.mkfifo, lambda p: p.symlink_to("/dev/zero"), Path.mkdir):
        (folder / name).unlink()
        make(folder / name)
        refused_at_once(folder, "not a plain file|cannot be read|Is a directory|not listed")
        (folder / name).rmdir() if make is Path.mkdir else (folder / name).unlink()
        (folder / name).symlink_to(tmp_path / "elsewhere")
        refused_at_once(folder, "not a plain file")


def big_zip(path: Path, name: str, megabytes: int) -> None:
    """A small archive in which one file is very long."""
    make_release().write(path, page=False)
    with zipfile.ZipFile(path) as old:
        contents = {each: old.read(each) for each in old.namelist() if each != name}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in contents.items():
            archive.writestr(each, content)
        with archive.open(name, "w", force_zip64=True) as handle:
            for _ in range(megabytes):
                handle.write(bytes(1 << 20))


@pytest.mark.parametrize("name", ["quasi.parquet", DESCRIPTOR, "extra.bin"])
def test_archive_that_unpacks_to_far_more_than_its_size_is_refused_at_once(tmp_path, name):
    big_zip(tmp_path / "r.zip", name, 300)
    assert (tmp_path / "r.zip").stat().st_size < 1 << 20
    refused_at_once(tmp_path / "r.zip", "would unpack to 31")


@pytest.mark.parametrize("name", ["quasi.parquet", DESCRIPTOR])
def test_file_longer_than_the_descriptor_says_is_not_unpacked(tmp_path, name):
    big_zip(tmp_path / "r.zip", name, 40)
    refused_at_once(tmp_path / "r.zip", "41,943,040 bytes")


def test_long_file_in_a_folder_is_not_read(folder):
    for name in ("quasi.parquet", DESCRIPTOR):
        with (folder / name).open("r+b") as handle:
            handle.truncate(1 << 36)  # a hole: it takes no room
        refused_at_once(folder, "68,719,476,736 bytes")


def test_parquet_with_more_rows_than_can_be_in_it_is_refused_at_once(folder):
    content = json.loads((folder / DESCRIPTOR).read_text())
    content["resources"][0]["rows"] = 10**12
    sign(folder, content)
    refused_at_once(folder, "rows cannot be in it")


def test_descriptor_that_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("anonagram.release.bundle.LONGEST_DESCRIPTOR", 1_000)
    with pytest.raises(CannotWrite, match="descriptor would have"):
        make_release().write(tmp_path / "r", page=False)
    assert not list(tmp_path.iterdir())


def _hidden(path: Path, how: str) -> None:
    """Put bytes into an archive that are no part of its files."""
    content = path.read_bytes()
    if how == "before":
        path.write_bytes(b"SECRETKEY 0808\n" + content)
    elif how == "behind":
        path.write_bytes(content + b"SECRETKEY 0808\n")
    elif how == "comment":
        with zipfile.ZipFile(path, "a") as archive:
            archive.comment = b"key 080808"
    elif how == "behind a packed file":
        _with_packed(path, lambda packed: packed + b"SECRETKEY 0808\n")
    else:
        with zipfile.ZipFile(path) as archive:
            members = [(each, archive.read(each)) for each in archive.infolist()]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members:
                if how == "member's comment":
                    member.comment = b"Bob has 250.83"
                else:
                    member.extra = struct.pack("<2H", 0x9999, 100) + b"0123456789" * 10
                archive.writestr(member, data)


def _with_packed(path: Path, change: Callable[[bytes], bytes]) -> None:
    """An archive anew, with something else in place of what each file was packed to."""
    with zipfile.ZipFile(path) as archive:
        files = {each.filename.encode(): archive.read(each) for each in archive.infolist()}
    body, listed = b"", b""
    for name, data in files.items():
        stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = change(stream.compress(data) + stream.flush())
        about = struct.pack("<5H", 20, 0, 8, 0, 33)
        about += struct.pack("<3IH", zlib.crc32(data), len(packed), len(data), len(name))
        place = struct.pack("<4H2I", 0, 0, 0, 0, 0, len(body))
        listed += b"PK\1\2" + struct.pack("<H", 20) + about + place + name
        body += b"PK\3\4" + about + struct.pack("<H", 0) + name + packed
    sizes = struct.pack("<4H2IH", 0, 0, len(files), len(files), len(listed), len(body), 0)
    path.write_bytes(body + listed + b"PK\5\6" + sizes)


@pytest.mark.parametrize(
    "how",
    ["before", "behind", "comment", "member's comment", "further fields", "behind a packed file"],
)
def test_bytes_beside_the_files_of_an_archive_are_refused(tmp_path, how):
    path = tmp_path / "release.zip"
    make_release().write(path, page=False)
    assert Release.read(path).manifest.rows.published
    _hidden(path, how)
    with pytest.raises(ReleaseDamaged, match="no part of"):
        Release.read(path)


def test_an_archive_that_another_program_packed_is_read(tmp_path):
    make_release().write(tmp_path / "by_hand.zip", page=False)
    _with_packed(tmp_path / "by_hand.zip", bytes)
    make_release().write(tmp_path / "release", page=False)
    for member in sorted((tmp_path / "release").iterdir()):
        with zipfile.ZipFile(tmp_path / "packed.zip", "a", zipfile.ZIP_DEFLATED) as archive:
            archive.write(member, member.name)
    with zipfile.ZipFile(tmp_path / "streamed.zip", "w") as archive:
        for member in sorted((tmp_path / "release").iterdir()):
            with archive.open(member.name, "w", force_zip64=True) as packed:
                packed.write(member.read_bytes())
    for name in ("packed.zip", "streamed.zip", "by_hand.zip"):
        assert Release.read(tmp_path / name).manifest.rows.published


@pytest.mark.parametrize("name", ["notes.bin", "verify.html"])
def test_nothing_else_goes_under_the_name_of_the_page(tmp_path, name):
    folder = tmp_path / "release"
    make_release().write(folder)
    secret = private_file(tmp_path / "private")
    (folder / "verify.html").unlink()
    for content in (secret, b"0808" * 16):
        (folder / name).write_bytes(content)
        about = json.loads((folder / DESCRIPTOR).read_text())
        about["anonagram"]["page"] = {"path": name, "bytes": len(content), "hash": hash_of(content)}
        sign(folder, about)
        with pytest.raises(ReleaseDamaged, match=r"private file|no part of a release"):
            Release.read(folder)


def test_few_long_texts_that_every_row_has(folder):
    content = json.loads((folder / DESCRIPTOR).read_text())
    (entry,) = [each for each in content["resources"] if each["name"] == "quasi"]
    table = pl.read_parquet(folder / entry["path"])
    rows = 1200
    names = [field["name"] for field in entry["schema"]["fields"] if field["type"] == "string"]
    long = pl.lit("x" * (1 << 20)).alias(names[0])
    table.head(1).select(pl.all().repeat_by(rows).explode()).with_columns(long).write_parquet(
        folder / entry["path"]
    )
    packed = (folder / entry["path"]).read_bytes()
    assert len(packed) < 1 << 20
    entry |= {"rows": rows, "bytes": len(packed), "hash": hash_of(packed)}
    sign(folder, content)
    with pytest.raises(ReleaseDamaged, match="bytes of texts in 1,200 rows"):
        Release.read(folder)
