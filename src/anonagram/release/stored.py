"""A table of a bundle as it lies on disk: to be loaded as a whole, or scanned a part at a time."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NoReturn

import polars as pl

from anonagram.errors import ReleaseDamaged
from anonagram.release.datatypes import dtype_of, from_csv_form
from anonagram.release.descriptor import ListedFile, Part, Resource, hash_of, hash_stream
from anonagram.release.files import BundleFiles
from anonagram.release.private import PrivateFile
from anonagram.shown.wording import how_many, option
from anonagram.sources.handed_over import HandedOver

FREE_CELLS, CELLS_A_BYTE = 10**7, 1000
"""How much a Parquet file may hold: equal values take next to no room in it."""
FREE_TEXTS, TEXTS_A_ROW = 1 << 30, 1 << 12
"""How many bytes the texts of a table may have together, and of larger ones for each row."""


@dataclass(frozen=True)
class StoredTable(HandedOver):
    """A table that the descriptor lists, of which nothing is in memory yet."""

    files: BundleFiles
    told: Resource

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.told.rows

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Its columns and their types."""
        return {field.name: dtype_of(field.dtype) for field in self.told.schema.fields}

    @property
    def paths(self) -> list[Path]:
        """Its files; in a .zip none of them can be opened by its path."""
        return [self.files.path / part.path for part in self.told.files]

    def only(self, part: Part) -> StoredTable:
        """One of its parts, as a table of its own."""
        told = replace(
            self.told, path=part.path, bytes=part.bytes, hash=part.hash, rows=part.rows, parts=()
        )
        return StoredTable(self.files, told)

    @property
    def _where(self) -> Path:
        return self.files.path / (
            self.told.path if isinstance(self.told.path, str) else self.told.name
        )

    def to_polars(self) -> pl.DataFrame:
        """The whole table, unchanged since it was written."""
        return self.frame.collect()

    def require_listed(self) -> None:
        """Check what can be checked without reading it: its size, and that it can be what is told."""
        for part in self.told.files:
            require_size(self.files, part)
        if len(self.schema) < len(self.told.schema.fields):
            self._refuse()
        if self.told.format == "csv":
            return
        for part in self.told.files:
            refuse_private(self.files, part.path)
        if self.rows * len(self.schema) > FREE_CELLS + CELLS_A_BYTE * self.told.bytes:
            raise ReleaseDamaged(
                f"{self._where} has {how_many(self.told.bytes, 'byte')}; {how_many(self.rows, 'row')} "
                "cannot be in it.",
                f"get the tables as CSV ({option('--format csv', 'format=csv')}), if this is no mistake.",
            )

    @cached_property
    def frame(self) -> pl.LazyFrame:
        """The table, unchanged since it was written, of which Polars reads what it is asked for.

        Its files are hashed as streams when this is asked for first. One file stays open, so that
        whatever is put in its place later is not read; of several only the paths are kept. In a .zip
        they are unpacked in memory.
        """
        frames = [self._unchanged(part) for part in self.told.files]
        return frames[0] if len(frames) == 1 else pl.concat(frames)

    def require_unchanged(self) -> None:
        """Hash its files, for whoever reads them by their paths."""
        _ = self.frame

    def _unchanged(self, part: Part) -> pl.LazyFrame:
        require_size(self.files, part)
        with self.files.opened(part.path) as handle:
            if hash_stream(handle, part.bytes) != part.hash:
                self._refuse_edited(part)
            handle.seek(0)
            path = self.files.path / part.path
            # thousands of open files are more than many a system allows
            is_one_of_many = self.told.parts and path.is_file()
            frame = pl.scan_parquet(path, glob=False) if is_one_of_many else self._scan(handle)
            # of a Parquet file both stand at its end
            schema = dict(frame.collect_schema())
            is_parquet = self.told.format == "parquet"
            rows = frame.select(pl.len()).collect().item() if is_parquet else part.rows
        if (schema, rows) != (self.schema, part.rows):
            self._refuse()
        return frame

    def load(self) -> pl.DataFrame:
        """The whole table in memory, unchanged since it was written.

        What is hashed is what is read: nobody can change it between the two.
        """
        table = pl.concat([self._loaded(part) for part in self.told.files])
        self._require_readable(table)
        return table

    def _loaded(self, part: Part) -> pl.DataFrame:
        require_size(self.files, part)
        content = self.files.read(part.path)
        if hash_of(content) != part.hash:
            self._refuse_edited(part)
        try:
            table = self._scan(io.BytesIO(content)).head(part.rows + 1).collect()
        except pl.exceptions.PolarsError as error:
            raise ReleaseDamaged(
                f"{self.files.path / part.path} cannot be read: {error}."
            ) from error
        if dict(table.schema) != self.schema or table.height != part.rows:
            self._refuse()
        return table

    def _scan(self, handle: BinaryIO) -> pl.LazyFrame:
        if self.told.format == "parquet":
            return pl.scan_parquet(handle)
        # names come from the descriptor: Polars leaves doubled quotes in a header as they are
        texts = pl.scan_csv(handle, infer_schema=False, new_columns=list(self.schema))
        return from_csv_form(texts, self.schema)

    def _require_readable(self, table: pl.DataFrame) -> None:
        """A few texts, each written once in a file, may be far more once every row has its own."""
        texts = sum(int(each.str.len_bytes().sum()) for each in table if each.dtype == pl.String)
        if texts > max(FREE_TEXTS, table.height * TEXTS_A_ROW):
            raise ReleaseDamaged(
                f"{self._where} has {how_many(texts, 'byte')} of texts in {how_many(table.height, 'row')}.",
                "a release of tables about people has shorter ones.",
            )

    def _refuse(self) -> NoReturn:
        raise ReleaseDamaged(f"{self._where} does not hold the table its descriptor says.")

    def _refuse_edited(self, part: Part) -> NoReturn:
        path = self.files.path / part.path
        raise ReleaseDamaged(f"{path} was changed after the release was made.")


def require_size(files: BundleFiles, file: ListedFile) -> None:
    """Check that a file is a plain one, as long as the descriptor says."""
    size = files.size(file.path)
    if size != file.bytes:
        raise ReleaseDamaged(
            f"{files.path / file.path} has {how_many(size, 'byte')} instead of {file.bytes:,}."
        )


def refuse_private(files: BundleFiles, name: str) -> None:
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
