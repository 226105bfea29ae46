"""Opening a bundle. It comes from outside, so nothing in it is believed.

The descriptor holds the size and hash of every table and a digest of itself, so an edited,
truncated or half-copied bundle is noticed and named, never half-read. Who forges a bundle can
compute these again: shapes check everything that is done with their tables later.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from anonagram.errors import AnonagramError, ReleaseDamaged
from anonagram.release.bundle import DESCRIPTOR, LONGEST_DESCRIPTOR, PAGE, digest_of, hash_of
from anonagram.release.datatypes import dtype_of, from_csv_form
from anonagram.release.decoding import decode
from anonagram.release.files import BundleFiles, files_of
from anonagram.release.manifest import Manifest
from anonagram.release.migrations import migrate
from anonagram.release.private import PrivateFile
from anonagram.release.release import Release

FREE_CELLS, CELLS_A_BYTE = 10**7, 1000
"""How much a Parquet file may hold: equal values take next to no room in it."""
FREE_TEXTS, TEXTS_A_ROW = 1 << 30, 1 << 12
"""How many bytes the texts of a table may have together, and of larger ones for each row."""
MOST_NAMED = 5


def read_bundle(path: Path) -> Release:
    """Open a bundle, checking that it is whole and unchanged."""
    try:
        return _read(path)
    except AnonagramError as error:
        if str(path) in error.what:
            raise
        raise ReleaseDamaged(f"{path}: {error.what}", error.remedy) from error
    except MemoryError:
        raise
    # a bundle comes from outside: whatever its reader stumbles over is the bundle's fault
    except (Exception, pl.exceptions.PanicException) as error:
        raise ReleaseDamaged(
            f"{path} is not understood ({type(error).__name__}: {str(error)[:200]})."
        ) from error


def _read(path: Path) -> Release:
    files = files_of(path)
    content = read_descriptor(files)
    about, where = content["anonagram"], path / DESCRIPTOR
    if about.get("shape") not in Release.shapes:
        raise ReleaseDamaged(f"{where}: unknown shape {about.get('shape')!r}.")
    shape = Release.shapes[about["shape"]]
    _refuse_strangers(files, content)
    if (page := about.get("page")) is not None:
        _require_page(files, page)
    manifest = _read_manifest(about, shape, where)
    tables: dict[str, pl.DataFrame] = {}
    for entry in content["resources"]:
        if entry["name"] in tables:
            raise ReleaseDamaged(f"{where} names {entry['name']!r} twice.")
        tables[entry["name"]] = _read_table(files, entry)
    release = shape.from_tables(manifest, tables)
    if unknown := [name for name in tables if name not in release.tables]:
        raise ReleaseDamaged(
            f"{path} has a table {unknown[0]!r}, which no {shape.shape} release has.",
            "take it out, and make a new release if it was handed over.",
        )
    return release


def _read_manifest(about: dict[str, Any], shape: type[Release], where: Path) -> Manifest:
    """What the release says about itself: what its shape needs, and nothing of another's."""
    if others := [name for name in Release.shapes if name in about and name != shape.shape]:
        raise ReleaseDamaged(f"{where}: a {shape.shape} release has no section {others[0]!r}.")
    section: object = None
    if shape.section is not None:
        what = f"{where}: the manifest's section {shape.shape!r}"
        section = decode(about.get(shape.shape), shape.section, what)
    manifest = decode({**about, "section": section}, Manifest, f"{where}: the manifest")
    if [table.name for table in manifest.tables] != list(shape.originals):
        raise ReleaseDamaged(f"{where}: a {shape.shape} release tells of {shape.originals}.")
    if shape.has_every_row and any(t.rows.suppressed or t.rows.added for t in manifest.tables):
        raise ReleaseDamaged(f"{where}: a {shape.shape} release has every row of its original.")
    manifest.require_layout(shape.own_names(manifest.columns))
    return manifest


def read_descriptor(files: BundleFiles) -> dict[str, Any]:
    """The descriptor, if it is one and nobody changed it."""
    where = files.path / DESCRIPTOR
    if files.size(DESCRIPTOR) > LONGEST_DESCRIPTOR:
        raise ReleaseDamaged(
            f"{where} has {files.size(DESCRIPTOR):,} bytes; {LONGEST_DESCRIPTOR:,} are the most."
        )
    try:
        content: dict[str, Any] = json.loads(
            files.read(DESCRIPTOR), object_pairs_hook=_without_repeats, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise ReleaseDamaged(f"{where} is not JSON: {str(error)[:200]}.") from error
    about = content.get("anonagram") if isinstance(content, dict) else None
    if not isinstance(about, dict) or not isinstance(content.get("resources"), list):
        raise ReleaseDamaged(f"{where} does not describe a release of Anonagram.")
    present = migrate(content, where)
    if about.get("digest") != digest_of(content):
        raise ReleaseDamaged(f"{where} was changed after the release was made.")
    return present


def strangers_in(files: BundleFiles, content: dict[str, Any]) -> list[str]:
    """What lies in a bundle though its descriptor does not list it."""
    listed = {DESCRIPTOR, *(entry["path"] for entry in content["resources"])}
    if (page := content["anonagram"].get("page")) is not None:
        listed.add(page["path"])
    for name in listed:
        if not isinstance(name, str) or Path(name).name != name:
            raise ReleaseDamaged(f"{files.path}: {name!r} is not a file of the bundle.")
    return [name for name in files.names() if name not in listed]


def _refuse_strangers(files: BundleFiles, content: dict[str, Any]) -> None:
    """Whatever lies beside the tables is handed over with them: a key, the original, notes."""
    strangers = strangers_in(files, content)
    for name in strangers:
        if not name.endswith("/"):
            _refuse_private(files, name)
    if strangers:
        more = f" and {len(strangers) - MOST_NAMED:,} more" if len(strangers) > MOST_NAMED else ""
        raise ReleaseDamaged(
            f"{files.path} holds {', '.join(strangers[:MOST_NAMED])}{more}, "
            "not listed in its descriptor: it is no part of the release, "
            "but would be handed over with it.",
            "take it out, and make a new release with a new key if a key or the original was "
            "handed over.",
        )


def _refuse_private(files: BundleFiles, name: str) -> None:
    """The worst thing that can be put beside the tables by mistake."""
    try:
        files.size(name)
        with files.open(name) as handle:
            is_private = PrivateFile.is_in(handle)
    except (ReleaseDamaged, OSError):
        return
    if is_private:
        raise ReleaseDamaged(
            f"{files.path / name} is a private file: whoever has it can undo the release.",
            "take it out, and make a new release with a new key if it was handed over.",
        )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an entry stands twice")
    return content


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _read_file(files: BundleFiles, entry: dict[str, Any]) -> bytes:
    """A file of the bundle, if it is the one that its entry in the descriptor tells of."""
    name, path = entry["path"], files.path
    size = files.size(name)
    if size != entry["bytes"]:
        raise ReleaseDamaged(f"{path / name} has {size:,} bytes instead of {entry['bytes']!r}.")
    content = files.read(name)
    if hash_of(content) != entry["hash"]:
        raise ReleaseDamaged(f"{path / name} was changed after the release was made.")
    return content


def _require_page(files: BundleFiles, entry: dict[str, Any]) -> None:
    """Under the name of the page nothing else may be handed over."""
    _refuse_private(files, entry["path"])
    content = _read_file(files, entry)
    if entry["path"] != PAGE or not content.lower().startswith(b"<!doctype html>"):
        raise ReleaseDamaged(
            f"{files.path / entry['path']} is no part of a release.", "take it out."
        )


def _require_readable(where: Path, table: pl.DataFrame) -> None:
    """A few texts, each written once in a file, may be far more once every row has its own."""
    texts = sum(int(each.str.len_bytes().sum()) for each in table if each.dtype == pl.String)
    if texts > max(FREE_TEXTS, table.height * TEXTS_A_ROW):
        raise ReleaseDamaged(
            f"{where} has {texts:,} bytes of texts in {table.height:,} rows.",
            "a release of tables about people has shorter ones.",
        )


def _read_table(files: BundleFiles, entry: dict[str, Any]) -> pl.DataFrame:
    where, content = files.path / entry["path"], _read_file(files, entry)
    fields, rows = entry["schema"]["fields"], entry["rows"]
    dtypes = {field["name"]: dtype_of(field["dtype"]) for field in fields}
    if entry["format"] not in ("csv", "parquet") or type(rows) is not int:
        raise ReleaseDamaged(f"{where}: its format or number of rows is not told.")
    try:
        if entry["format"] == "csv":
            # names come from the descriptor: Polars leaves doubled quotes in a header as they are
            texts = pl.read_csv(io.BytesIO(content), infer_schema=False, new_columns=list(dtypes))
            table = from_csv_form(texts, dtypes)
        else:
            _refuse_private(files, entry["path"])
            if rows * len(dtypes) > FREE_CELLS + CELLS_A_BYTE * len(content):
                raise ReleaseDamaged(
                    f"{where} has {len(content):,} bytes; {rows:,} rows cannot be in it.",
                    "get the tables as CSV (--format csv), if this is no mistake.",
                )
            table = pl.read_parquet(io.BytesIO(content), n_rows=rows + 1)
    except pl.exceptions.PolarsError as error:
        raise ReleaseDamaged(f"{where} cannot be read: {error}.") from error
    if dict(table.schema) != dtypes or table.height != rows or len(fields) != len(dtypes):
        raise ReleaseDamaged(f"{where} does not hold the table its descriptor says.")
    _require_readable(where, table)
    return table
