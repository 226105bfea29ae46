"""What the protector keeps: the key and the row mapping, in one file nobody else may read.

With it a release can be made again bit for bit (`anonymize --key PRIVATE`) and audited row by row.
It is a Parquet file: the mapping as its table, the key and the rest as its metadata.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

import polars as pl

from anonagram.errors import InputError
from anonagram.key import Key
from anonagram.release.atomic import publish_file

MODE = 0o600
ENTRY = "anonagram-private"


@dataclass(frozen=True)
class PrivateFile:
    """The secrets of one release."""

    key: Key
    method: str
    created: date
    mapping: pl.DataFrame

    def write(self, path: str | Path) -> None:
        """Write it so that only its owner may read it."""
        about = {
            "key": self.key.secret.hex(),
            "method": self.method,
            "created": self.created.isoformat(),
        }

        def fill(partial: Path) -> None:
            self.mapping.write_parquet(partial, metadata={ENTRY: json.dumps(about)})

        publish_file(Path(path), fill, mode=MODE)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a private file."""
        try:
            about = json.loads(pl.read_parquet_metadata(path)[ENTRY])
            mapping = pl.read_parquet(path)
            key = Key(bytes.fromhex(about["key"]))
            return cls(key, about["method"], date.fromisoformat(about["created"]), mapping)
        except (OSError, KeyError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(
                f"{path} is not the private file of a release.", "give the file --private wrote."
            ) from error

    @staticmethod
    def is_one(path: str | Path) -> bool:
        """Whether the file looks like a private file rather than a key in text."""
        try:
            with Path(path).open("rb") as handle:
                return handle.read(4) == b"PAR1"
        except OSError:
            return False
