"""A release on disk: tables, and a Data Package descriptor that carries the manifest.

Reading is strict. The descriptor holds the size and hash of every table and a digest of itself, so
an edited, truncated or half-copied bundle is noticed and named, never half-read.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.atomic import pack, replacing
from anonagram.errors import AnonagramError, ReleaseDamaged
from anonagram.release.datatypes import (
    MOMENT,
    dtype_of,
    dtype_text,
    field_type,
    from_csv_form,
    to_csv_form,
)
from anonagram.release.manifest import FORMAT, Manifest
from anonagram.release.masking import CHANGED, MOVED
from anonagram.release.private import PrivateFile
from anonagram.release.release import Format, Release

DESCRIPTOR = "datapackage.json"
MASKED = {
    MOVED: "Masked: the original's values, at other people.",
    CHANGED: "Masked: values were changed, and need not occur in the original.",
}
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"


def write_bundle(
    release: Release,
    path: Path,
    format: Format,  # noqa: A002
    *,
    force: bool = False,
    page: bool = True,
) -> None:
    """Write the bundle beside its place and move it there when it is complete."""
    with replacing(path, is_ours=is_bundle, force=force) as partial:
        make_bundle(release, partial, format, as_zip=path.suffix.lower() == ".zip", page=page)


def make_bundle(
    release: Release,
    path: Path,
    format: Format,  # noqa: A002
    *,
    as_zip: bool,
    page: bool = True,
) -> None:
    """Make the folder (or .zip) of a release at a path where nothing is."""
    if as_zip:
        folder = path.with_name(path.name + ".d")
        try:
            make_bundle(release, folder, format, as_zip=False, page=page)
            pack(folder, path)
        finally:
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
        return
    path.mkdir(mode=0o755)
    resources = [
        _write_table(path, name, table, release, format) for name, table in release.tables.items()
    ]
    content: dict[str, Any] = {
        "$schema": PROFILE,
        "name": "anonagram-release",
        "title": f"Table anonymized by {release.manifest.method}",
        "created": release.manifest.created,
        "resources": resources,
        "anonagram": {"format": FORMAT, "shape": release.shape, **release.manifest.to_dict()},
    }
    if page:
        content["anonagram"] |= _write_page(path, release)
    content["anonagram"]["digest"] = _digest(content)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    (path / DESCRIPTOR).write_text(text + "\n", encoding="utf-8")


def _write_page(folder: Path, release: Release) -> dict[str, Any]:
    """The page on which subjects look for themselves, and its entry in the descriptor."""
    from anonagram.verify.page import PAGE, page_of

    text = page_of(release)
    if text is None:
        return {}
    content = text.encode()
    (folder / PAGE).write_bytes(content)
    return {"page": {"path": PAGE, "bytes": len(content), "hash": _hash(content)}}


def is_bundle(path: Path) -> bool:
    """Whether a release of Anonagram, whole or damaged, stands at the path."""
    try:
        return b'"anonagram"' in _opener(path)(DESCRIPTOR)
    except Exception:  # whatever is wrong with it, it is not certainly ours
        return False


def _write_table(
    folder: Path,
    name: str,
    table: pl.DataFrame,
    release: Release,
    format: Format,  # noqa: A002
) -> dict[str, Any]:
    path = folder / f"{name}.{format}"
    if format == "csv":
        to_csv_form(table).write_csv(path, datetime_format=MOMENT)
    else:
        table.write_parquet(path)
    content = path.read_bytes()
    return {
        "name": name,
        "path": path.name,
        "format": format,
        "mediatype": "text/csv" if format == "csv" else "application/vnd.apache.parquet",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": _hash(content),
        "rows": table.height,
        "schema": {"fields": _fields(table, release), "missingValues": [""], **release.keys(name)},
    }


def _fields(table: pl.DataFrame, release: Release) -> list[dict[str, str]]:
    known = {column.name: column for column in release.manifest.columns}
    fields = []
    for name, dtype in table.schema.items():
        entry = {"name": name, "type": field_type(dtype), "dtype": dtype_text(dtype)}
        if name in known:
            entry |= {"role": known[name].role, "kind": known[name].kind}
        if name in release.manifest.masked:
            entry["description"] = MASKED[release.manifest.masked[name].how]
        fields.append(entry)
    return fields


def _hash(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _digest(content: dict[str, Any]) -> str:
    """A hash of the descriptor without its own digest."""
    inner = {k: v for k, v in content["anonagram"].items() if k != "digest"}
    text = json.dumps({**content, "anonagram": inner}, sort_keys=True, ensure_ascii=False)
    return _hash(text.encode())


def read_bundle(path: Path) -> Release:
    """Open a bundle, checking that it is whole and unchanged."""
    try:
        return _read(path)
    except AnonagramError as error:
        if str(path) in error.what:
            raise
        raise ReleaseDamaged(f"{path}: {error.what}") from error
    except MemoryError:
        raise
    except Exception as error:
        # a bundle comes from outside: whatever its reader stumbles over is the bundle's fault
        raise ReleaseDamaged(
            f"{path} is not understood ({type(error).__name__}: {str(error)[:200]})."
        ) from error


def _read(path: Path) -> Release:
    read = _opener(path)
    content = _read_descriptor(path, read)
    about = dict(content["anonagram"])
    shape = about.pop("shape", None)
    for extra in ("format", "digest"):
        about.pop(extra)
    if (page := about.pop("page", None)) is not None:
        _read_file(path, page, read)
    if shape not in Release.shapes:
        raise ReleaseDamaged(f"{path / DESCRIPTOR}: unknown shape {shape!r}.")
    manifest = Manifest.from_dict(about, str(path / DESCRIPTOR))
    tables: dict[str, pl.DataFrame] = {}
    for entry in content["resources"]:
        if entry["name"] in tables:
            raise ReleaseDamaged(f"{path / DESCRIPTOR} names {entry['name']!r} twice.")
        tables[entry["name"]] = _read_table(path, entry, read)
    _refuse_private_files(path)
    return Release.shapes[shape].from_tables(manifest, tables)


def _refuse_private_files(path: Path) -> None:
    """The worst thing that can be put beside the tables by mistake."""
    for file in path.iterdir() if path.is_dir() else ():
        if file.is_file() and PrivateFile.is_one(file):
            raise ReleaseDamaged(
                f"{file} is a private file: whoever has it can undo the release.",
                "take it out, and make a new release with a new key if it was handed over.",
            )


def _opener(path: Path) -> Callable[[str], bytes]:
    """How to get a file of the bundle by name, from a folder or a .zip."""
    if path.is_dir():
        return lambda name: (path / name).read_bytes()
    if path.is_file() and zipfile.is_zipfile(path):

        def read(name: str) -> bytes:
            with zipfile.ZipFile(path) as archive:
                return archive.read(name)

        return read
    if path.exists():
        raise ReleaseDamaged(f"{path} is neither a folder nor a .zip file.", "name the bundle.")
    raise ReleaseDamaged(
        f"There is no release at {path}.", "make one: anonagram anonymize DATA … -o FOLDER"
    )


def _read_descriptor(path: Path, read: Callable[[str], bytes]) -> dict[str, Any]:
    where = path / DESCRIPTOR
    try:
        content: dict[str, Any] = json.loads(
            _fetch(path, DESCRIPTOR, read), object_pairs_hook=_without_repeats
        )
    except ValueError as error:
        raise ReleaseDamaged(f"{where} is not JSON: {str(error)[:200]}.") from error
    about = content.get("anonagram") if isinstance(content, dict) else None
    if not isinstance(about, dict) or not isinstance(content.get("resources"), list):
        raise ReleaseDamaged(f"{where} does not describe a release of Anonagram.")
    made_with = about.get("format")
    if type(made_with) is not int or not 1 <= made_with <= FORMAT:
        raise ReleaseDamaged(
            f"{where} has the format {made_with!r}; this version reads up to {FORMAT}.",
            "pip install --upgrade anonagram",
        )
    if about.get("digest") != _digest(content):
        raise ReleaseDamaged(f"{where} was changed after the release was made.")
    return content


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an entry stands twice")
    return content


def _fetch(path: Path, name: str, read: Callable[[str], bytes]) -> bytes:
    try:
        return read(name)
    except (FileNotFoundError, KeyError) as error:
        raise ReleaseDamaged(f"{path} has no file {name}.") from error
    except Exception as error:  # zipfile raises half a dozen kinds for damaged archives
        raise ReleaseDamaged(f"{path / name} cannot be read: {error}.") from error


def _read_file(path: Path, entry: dict[str, Any], read: Callable[[str], bytes]) -> bytes:
    """A file of the bundle, if it is the one that its entry in the descriptor tells of."""
    name = entry["path"]
    if not isinstance(name, str) or Path(name).name != name:
        raise ReleaseDamaged(f"{path}: {name!r} is not a file of the bundle.")
    content = _fetch(path, name, read)
    if len(content) != entry["bytes"]:
        raise ReleaseDamaged(
            f"{path / name} has {len(content):,} bytes instead of {entry['bytes']!r}."
        )
    if _hash(content) != entry["hash"]:
        raise ReleaseDamaged(f"{path / name} was changed after the release was made.")
    return content


def _read_table(path: Path, entry: dict[str, Any], read: Callable[[str], bytes]) -> pl.DataFrame:
    name, content = entry["path"], _read_file(path, entry, read)
    dtypes = {field["name"]: dtype_of(field["dtype"]) for field in entry["schema"]["fields"]}
    try:
        if entry["format"] == "csv":
            # names come from the descriptor: Polars leaves doubled quotes in a header as they are
            texts = pl.read_csv(io.BytesIO(content), infer_schema=False, new_columns=list(dtypes))
            table = from_csv_form(texts, dtypes)
        else:
            table = pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise ReleaseDamaged(f"{path / name} cannot be read: {error}.") from error
    if dict(table.schema) != dtypes or table.height != entry["rows"]:
        raise ReleaseDamaged(f"{path / name} does not hold the table its descriptor says.")
    return table
