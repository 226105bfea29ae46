"""What the protector keeps: the key and the row mapping, in one file nobody else may read.

With it a release can be made again bit for bit (`anonymize --key PRIVATE`) and audited row by row.
It is a Parquet file: the mapping as its table, the key and the rest as its metadata.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO, Self

import polars as pl

from anonagram.errors import InputError
from anonagram.key import Key
from anonagram.microdata import Microdata
from anonagram.release.manifest import Manifest
from anonagram.release.series import Series
from anonagram.shown.wording import option

MODE = 0o600
ENTRY = "anonagram-private"
SERIES = "anonagram-series"
PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True)
class PrivateFile:
    """The secrets of one release."""

    key: Key
    method: str
    created: date
    mapping: pl.DataFrame
    salt: str = ""
    """The salt of the release's commitment, which no other table or call has."""
    series: Series | None = None
    """Who had which signature so far, where the next release can keep them."""

    def write(self, path: str | Path) -> None:
        """Write it to a new file that only its owner may read."""
        about = {
            "key": self.key.secret.hex(),
            "method": self.method,
            "created": self.created.isoformat(),
            "salt": self.salt,
        }

        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE), "wb") as handle:
            entries = {ENTRY: json.dumps(about)}
            if self.series is not None:
                entries[SERIES] = self.series.to_text()
            self.mapping.write_parquet(handle, metadata=entries)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a private file."""
        if not Path(path).exists():
            raise InputError(
                f"There is no file {path}.",
                f"give the file that {option('--private', 'Publication.write')} wrote.",
            )
        try:
            entries = pl.read_parquet_metadata(path)
            about = json.loads(entries[ENTRY])
            mapping = pl.read_parquet(path)
            key = Key(bytes.fromhex(about["key"]))
            created = date.fromisoformat(about["created"])
            series = Series.from_text(entries[SERIES]) if SERIES in entries else None
            return cls(key, about["method"], created, mapping, about.get("salt", ""), series)
        except (OSError, KeyError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(
                f"{path} is not the private file of a release.",
                f"give the file that {option('--private', 'Publication.write')} wrote.",
            ) from error

    def require_for(self, manifest: Manifest, path: str | Path) -> None:
        """Refuse the private file of another release."""
        rows = sum(table.rows.original for table in manifest.tables)
        ours = (manifest.key_salt, manifest.method, rows)
        is_its_key = self.key.commitment(manifest.key_salt) == manifest.key_commitment
        if not is_its_key or (self.salt, self.method, self.mapping.height) != ours:
            raise InputError(
                f"{path} belongs to another release.", "give the private file written beside it."
            )

    def require_table(self, microdata: Microdata, path: str | Path) -> None:
        """Refuse to take the key of one table's release for another table."""
        self.require_salt(microdata.digest, path)

    def require_salt(self, digest: bytes, path: str | Path) -> None:
        """Refuse to take the key for what has another digest.

        Draws would differ; but whoever gets hold of the key opens both.
        """
        if self.series is not None:
            digest = self.series.after(digest, but_last=True)
        ours = self.key.salt(digest, self.method.encode())
        if self.salt and self.salt != ours:
            raise InputError(
                f"{path} is the private file of a release of another table: whoever gets hold of its "
                "key would open both.",
                f"leave {option('--key', 'the key')} out and a new one is drawn; or "
                f"{option('--force', 'take its key itself')}.",
            )

    @classmethod
    def is_one(cls, path: Path) -> bool:
        """Whether the file is a private file, rather than a key in text or somebody's table."""
        try:
            with path.open("rb") as handle:
                return cls.is_in(handle)
        except OSError:
            return False

    @classmethod
    def is_in(cls, handle: BinaryIO) -> bool:
        """The same for an open file."""
        if handle.read(4) != PARQUET_MAGIC:
            return False
        handle.seek(0)
        try:
            return ENTRY in pl.read_parquet_metadata(handle)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return False
