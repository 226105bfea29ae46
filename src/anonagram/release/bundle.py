"""A release on disk: tables, and a Data Package descriptor that carries the manifest.

Reading is strict. The descriptor holds the size and hash of every table and a digest of itself, so
an edited, truncated or half-copied bundle is noticed and named, never half-read.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import AnonagramError, ReleaseDamaged
from anonagram.release.atomic import publish_folder
from anonagram.release.datatypes import dtype_of, dtype_text, field_type, from_csv_form, to_csv_form
from anonagram.release.manifest import FORMAT, Manifest
from anonagram.release.release import Format, Release

DESCRIPTOR = "datapackage.json"
AGAIN = "get the bundle again from who published it."
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"


def write_bundle(release: Release, path: Path, format: Format, *, force: bool = False) -> None:  # noqa: A002
    """Write the bundle beside its place and move it there when it is complete."""

    def fill(folder: Path) -> None:
        resources = [
            _write_table(folder, name, table, release, format)
            for name, table in release.tables.items()
        ]
        content: dict[str, Any] = {
            "$schema": PROFILE,
            "name": "anonagram-release",
            "title": f"Table anonymized by {release.manifest.method}",
            "created": release.manifest.created,
            "resources": resources,
            "anonagram": {
                "format": FORMAT,
                "shape": release.shape,
                **release.manifest.to_dict(),
            },
        }
        content["anonagram"]["digest"] = _digest(content)
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / DESCRIPTOR).write_text(text + "\n", encoding="utf-8")

    publish_folder(path, fill, marker=DESCRIPTOR, force=force)


def _write_table(
    folder: Path,
    name: str,
    table: pl.DataFrame,
    release: Release,
    format: Format,  # noqa: A002
) -> dict[str, Any]:
    path = folder / f"{name}.{format}"
    if format == "csv":
        to_csv_form(table).write_csv(path, datetime_format="%Y-%m-%dT%H:%M:%S%.f")
    else:
        table.write_parquet(path)
    roles = {column.name: column for column in release.manifest.columns}
    fields = []
    for column, dtype in table.schema.items():
        entry = {"name": column, "type": field_type(dtype), "dtype": dtype_text(dtype)}
        if column in roles:
            entry |= {"role": roles[column].role, "kind": roles[column].kind}
        fields.append(entry)
    content = path.read_bytes()
    return {
        "name": name,
        "path": path.name,
        "format": format,
        "mediatype": "text/csv" if format == "csv" else "application/vnd.apache.parquet",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": "sha256:" + hashlib.sha256(content).hexdigest(),
        "rows": table.height,
        "schema": {"fields": fields, "missingValues": [""], **release.keys(name)},
    }


def _digest(content: dict[str, Any]) -> str:
    """A hash of the descriptor without its own digest."""
    inner = {k: v for k, v in content["anonagram"].items() if k != "digest"}
    text = json.dumps({**content, "anonagram": inner}, sort_keys=True, ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def read_bundle(path: Path) -> Release:
    """Open a bundle, checking that it is whole and unchanged."""
    read = _opener(path)
    content = _read_descriptor(path, read)
    about = dict(content["anonagram"])
    shape = about.pop("shape", None)
    for extra in ("format", "digest"):
        about.pop(extra)
    if shape not in Release.shapes:
        raise ReleaseDamaged(f"{path / DESCRIPTOR}: unknown shape {shape!r}.", AGAIN)
    try:
        manifest = Manifest.from_dict(about, str(path / DESCRIPTOR))
        tables = {entry["name"]: _read_table(path, entry, read) for entry in content["resources"]}
        return Release.shapes[shape].from_tables(manifest, tables)
    except KeyError as error:
        raise ReleaseDamaged(f"{path}: {error} is missing from the bundle.", AGAIN) from error
    except AnonagramError as error:
        if str(path) in error.what:
            raise
        raise ReleaseDamaged(f"{path}: {error.what}", error.remedy) from error


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
        content: dict[str, Any] = json.loads(_fetch(path, DESCRIPTOR, read))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ReleaseDamaged(f"{where} is not JSON: {error}.", AGAIN) from error
    about = content.get("anonagram") if isinstance(content, dict) else None
    if not isinstance(about, dict) or not isinstance(content.get("resources"), list):
        raise ReleaseDamaged(f"{where} does not describe a release of Anonagram.", AGAIN)
    made_with = about.get("format")
    if not isinstance(made_with, int) or made_with > FORMAT:
        raise ReleaseDamaged(
            f"{where} has the format {made_with!r}; this version reads up to {FORMAT}.",
            "pip install --upgrade anonagram",
        )
    if about.get("digest") != _digest(content):
        raise ReleaseDamaged(f"{where} was changed after the release was made.", AGAIN)
    return content


def _fetch(path: Path, name: str, read: Callable[[str], bytes]) -> bytes:
    try:
        return read(name)
    except (FileNotFoundError, KeyError) as error:
        raise ReleaseDamaged(f"{path} has no file {name}.", AGAIN) from error
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ReleaseDamaged(f"{path / name} cannot be read: {error}.", AGAIN) from error


def _read_table(path: Path, entry: dict[str, Any], read: Callable[[str], bytes]) -> pl.DataFrame:
    name = entry["path"]
    if not isinstance(name, str) or Path(name).name != name:
        raise ReleaseDamaged(f"{path}: {name!r} is not a file of the bundle.", AGAIN)
    content = _fetch(path, name, read)
    if len(content) != entry["bytes"]:
        raise ReleaseDamaged(
            f"{path / name} has {len(content):,} bytes instead of {entry['bytes']:,}.", AGAIN
        )
    if "sha256:" + hashlib.sha256(content).hexdigest() != entry["hash"]:
        raise ReleaseDamaged(f"{path / name} was changed after the release was made.", AGAIN)
    dtypes = {field["name"]: dtype_of(field["dtype"]) for field in entry["schema"]["fields"]}
    try:
        if entry["format"] == "csv":
            texts = pl.read_csv(io.BytesIO(content), infer_schema=False, empty_string_is_null=True)
            table = from_csv_form(texts, dtypes)
        else:
            table = pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise ReleaseDamaged(f"{path / name} cannot be read: {error}.", AGAIN) from error
    if dict(table.schema) != dtypes or table.height != entry["rows"]:
        raise ReleaseDamaged(f"{path / name} does not hold the table its descriptor says.", AGAIN)
    return table
