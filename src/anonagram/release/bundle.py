"""A release on disk: tables, and a Data Package descriptor that carries the manifest.

The descriptor holds the size and hash of every table and a digest of itself, on which `reading`
relies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import CannotWrite
from anonagram.release.datatypes import MOMENT, dtype_text, field_type, to_csv_form
from anonagram.release.descriptor import (
    DESCRIPTOR,
    LONGEST_DESCRIPTOR,
    Part,
    digest_of,
    hash_of,
    hash_of_parts,
    hash_stream,
    read_descriptor,
    strangers_in,
)
from anonagram.release.doors import page_of
from anonagram.release.files import files_of
from anonagram.release.manifest import Manifest
from anonagram.release.migrations import FORMAT, WHOLE
from anonagram.release.release import Format, Release
from anonagram.runtime.atomic import pack, replacing
from anonagram.runtime.workspace import remove
from anonagram.shown.wording import how_many

PAGE = "verify.html"
"""On which people in the data look for themselves."""
PARQUET = "application/vnd.apache.parquet"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
PartsOf = Mapping[str, tuple[dict[str, Any], Sequence[Part]]]
"""Tables by name, each with its columns and keys, and its parts."""


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
            remove(folder)
        return
    path.mkdir(mode=0o755)
    resources = [
        _write_table(path, name, table, release, format) for name, table in release.tables.items()
    ]
    about = {"format": WHOLE, **release.to_dict()}
    if page:
        about |= _write_page(path, release, resources)
    _write_descriptor(path, release.manifest, resources, about)


def finish_parts(path: Path, about: dict[str, Any], manifest: Manifest, tables: PartsOf) -> None:
    """Make a bundle of parts that were written into folders named after the tables.

    `about` is what a release says about itself, and each table comes with its columns and keys as
    `resource_schema` tells them.
    """
    resources = [_in_parts(name, schema, parts) for name, (schema, parts) in tables.items()]
    _write_descriptor(path, manifest, resources, {"format": FORMAT, **about})


def _in_parts(name: str, schema: dict[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    listed = [asdict(part) for part in parts]
    return {
        "name": name,
        "path": [part.path for part in parts],
        "format": "parquet",
        "mediatype": PARQUET,
        "encoding": "utf-8",
        "bytes": sum(part.bytes for part in parts),
        "hash": hash_of_parts(parts),
        "rows": sum(part.rows for part in parts),
        "schema": schema,
        "parts": listed,
    }


def _write_descriptor(
    path: Path, manifest: Manifest, resources: list[dict[str, Any]], about: dict[str, Any]
) -> None:
    content: dict[str, Any] = {
        "$schema": PROFILE,
        "name": "anonagram-release",
        "title": f"Table anonymized by {manifest.method}",
        "created": manifest.created,
        "resources": resources,
        "anonagram": about,
    }
    content["anonagram"]["digest"] = digest_of(content)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    content_bytes = (text + "\n").encode()
    if len(content_bytes) > LONGEST_DESCRIPTOR:
        raise CannotWrite(
            f"The descriptor would have {how_many(len(content_bytes), 'byte')}: too many columns, too many "
            "values of ordinal ones, or too many parts.",
            'kind = "nominal" for columns with very many values.',
        )
    (path / DESCRIPTOR).write_bytes(content_bytes)


def _write_page(folder: Path, release: Release, resources: list[dict[str, Any]]) -> dict[str, Any]:
    """The page on which subjects look for themselves, and its entry in the descriptor."""
    text = page_of(release, resources)
    if text is None:
        return {}
    content = text.encode()
    (folder / PAGE).write_bytes(content)
    return {"page": {"path": PAGE, "bytes": len(content), "hash": hash_of(content)}}


def is_bundle(path: Path) -> bool:
    """Whether a release of Anonagram stands at the path; its tables may be damaged.

    One to which somebody added files of his own is not given up to be replaced.
    """
    try:
        files = files_of(path)
        strangers = strangers_in(files, read_descriptor(files))
    except Exception:  # whatever is wrong with it, it is not certainly ours
        return False
    if strangers:
        raise CannotWrite(
            f"{path} also holds {', '.join(strangers)}, which is no part of the release and would "
            "be lost.",
            "move it elsewhere, or choose another name.",
        )
    return True


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
    written = part_at(path, path.name, table.height)
    return {
        "name": name,
        "path": path.name,
        "format": format,
        "mediatype": "text/csv" if format == "csv" else PARQUET,
        "encoding": "utf-8",
        "bytes": written.bytes,
        "hash": written.hash,
        "rows": table.height,
        "schema": resource_schema(release, name, table),
    }


def part_at(path: Path, name: str, rows: int) -> Part:
    """A file that was written, as the descriptor lists it under a name."""
    size = path.stat().st_size
    with path.open("rb") as handle:
        return Part(name, size, hash_stream(handle, size), rows)


def resource_schema(release: Release, name: str, table: pl.DataFrame) -> dict[str, Any]:
    """The columns and keys of a table, as the Data Package standard writes them."""
    return {"fields": _fields(table, release), "missingValues": [""], **release.keys(name)}


def _fields(table: pl.DataFrame, release: Release) -> list[dict[str, str]]:
    known = {column.name: column for column in release.manifest.columns}
    fields = []
    for name, dtype in table.schema.items():
        entry = {"name": name, "type": field_type(dtype), "dtype": dtype_text(dtype)}
        if name in known:
            entry |= {"role": known[name].role, "kind": known[name].kind}
            if (label := known[name].label) is not None:
                entry["title"] = label
        if (note := release.note_on(name)) is not None:
            entry["description"] = note
        fields.append(entry)
    return fields
