"""A release on disk: tables, and a Data Package descriptor that carries the manifest.

The descriptor holds the size and hash of every table and a digest of itself, on which `reading`
relies.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from anonagram.errors import CannotWrite
from anonagram.release.datatypes import MOMENT, dtype_text, field_type, to_csv_form
from anonagram.release.descriptor import (
    DESCRIPTOR,
    LONGEST_DESCRIPTOR,
    digest_of,
    hash_of,
    hash_stream,
    read_descriptor,
    strangers_in,
)
from anonagram.release.doors import page_of
from anonagram.release.files import files_of
from anonagram.release.migrations import FORMAT
from anonagram.release.release import Format, Release
from anonagram.runtime.atomic import pack, replacing
from anonagram.runtime.workspace import remove

PAGE = "verify.html"
"""On which people in the data look for themselves."""
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
            remove(folder)
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
        "anonagram": {"format": FORMAT, **release.to_dict()},
    }
    if page:
        content["anonagram"] |= _write_page(path, release, resources)
    content["anonagram"]["digest"] = digest_of(content)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    content_bytes = (text + "\n").encode()
    if len(content_bytes) > LONGEST_DESCRIPTOR:
        raise CannotWrite(
            f"The descriptor would have {len(content_bytes):,} bytes: too many columns, or too many "
            "values of ordinal ones.",
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
    size = path.stat().st_size
    with path.open("rb") as handle:
        found = hash_stream(handle, size)
    return {
        "name": name,
        "path": path.name,
        "format": format,
        "mediatype": "text/csv" if format == "csv" else "application/vnd.apache.parquet",
        "encoding": "utf-8",
        "bytes": size,
        "hash": found,
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
            if (label := known[name].label) is not None:
                entry["title"] = label
        if (note := release.note_on(name)) is not None:
            entry["description"] = note
        fields.append(entry)
    return fields
