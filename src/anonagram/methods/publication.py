"""What a method hands over: the release, and beside it what only the protector may keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Self

import polars as pl

from anonagram.errors import CannotWrite, InternalError
from anonagram.key import Key
from anonagram.lattice import Choice, CutChoice
from anonagram.release import PrivateFile, Release, Series, is_bundle, make_bundle
from anonagram.release.release import Format
from anonagram.runtime.atomic import replacing, require_free
from anonagram.runtime.progress import step


@dataclass(frozen=True)
class Publication:
    """A release, and what only the protector may keep."""

    release: Release
    mapping: pl.DataFrame = field(repr=False)
    """For each input row, in input order: its group and where its values went."""
    key: Key | None = None
    """The key it was made with; `Method.publish` puts it in."""
    series: Series | None = None
    """What the next release of the same people must know, where the method keeps its promise over
    several."""
    choice: Choice | CutChoice | None = None
    """Of a method that searches levels or cuts: what it chose, and its neighbours."""

    @property
    def secrets(self) -> PrivateFile:
        """What the private file holds: with it the release can be made again, and undone."""
        if self.key is None:
            raise InternalError("A publication without its key has no private file.")
        manifest = self.release.manifest
        created = date.fromisoformat(manifest.created)
        salt = manifest.key_salt
        return PrivateFile(self.key, manifest.method, created, self.mapping, salt, self.series)

    def with_help_tables(self) -> Self:
        """The same with a table from which plain SQL gets bounds, for each sensitive column."""
        step("Making the help table")
        return replace(self, release=self.release.with_help_tables())

    def write(
        self,
        path: str | Path,
        private: str | Path | None = None,
        *,
        format: Format = "parquet",  # noqa: A002
        force: bool = False,
        page: bool = True,
        before: Callable[[Path], object] = lambda _made: None,
    ) -> None:
        """Write the release and, where it is asked for, the private file: both or neither.

        `before` is called with the release as it was made, of which nothing has appeared yet; where
        it raises an error, nothing does.

        >>> import tempfile
        >>> from anonagram import Anatomy, Key, Microdata
        >>> table = {"age": [31, 45, 52, 60], "ill": ["flu", "cut", "gout", "flu"]}
        >>> data = Microdata.read(table, {"age": "quasi", "ill": "sensitive"})
        >>> place = Path(tempfile.mkdtemp())
        >>> Anatomy(l=2).publish(data, Key.generate()).write(place / "release", place / "private")
        >>> sorted(each.name for each in place.iterdir())
        ['private', 'release']
        """
        path, private = Path(path), None if private is None else Path(private)
        require_places(path, private, force=force)
        with ExitStack() as stack:
            places = [
                stack.enter_context(replacing(each, is_ours=is_ours, force=force))
                for each, is_ours in ((private, PrivateFile.is_one), (path, is_bundle))
                if each is not None
            ]
            as_zip = path.suffix.lower() == ".zip"
            make_bundle(self.release, places[-1], format, as_zip=as_zip, page=page)
            before(places[-1])
            if private is not None:
                # last, so that the key is on the disk under a hidden name as shortly as can be
                self.secrets.write(places[0])


def require_places(
    path: Path, private: Path | None, *, force: bool, inputs: Sequence[Path] = ()
) -> None:
    """Refuse before the work begins what could not be written after it."""
    for each in (path, private):
        if each is not None and each.resolve() in [other.resolve() for other in inputs]:
            raise CannotWrite(f"{each} is also what is read.", "choose another name.")
    require_free(path, is_ours=is_bundle, force=force)
    if private is None:
        return
    if path.resolve() in (private.resolve(), *private.resolve().parents):
        raise CannotWrite(
            f"The private file {private} would lie inside the release {path}.",
            "keep it apart: whoever has it can undo the release.",
        )
    require_free(private, is_ours=PrivateFile.is_one, force=force)
