"""What the private file of an earlier release remembers for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anonagram.errors import CallError, InputError
from anonagram.methods.method import Method
from anonagram.release import PrivateFile, Release, Series
from anonagram.shown.wording import option


def earlier_series(
    method: Method, path: Path | None, folders: Sequence[Path], releases: Sequence[Release]
) -> Series | None:
    """What the private file of an earlier release remembers; refused where it is another's."""
    if path is None:
        if folders and method.continues:
            raise CallError(
                f"{method.call} continues an earlier release only with its private file.",
                f"{option('--previous-private FILE', 'its private file')}, which was written when "
                f"{folders[-1]} was made; without it, leave {option('--previous', 'the release')} out.",
            )
        return None
    if not releases:
        raise CallError(
            f"{path} belongs to an earlier release, and none is given.",
            option("--previous FOLDER.", "give the release."),
        )
    private = PrivateFile.read(path)
    owners = [each for each in releases if each.manifest.key_salt == private.salt]
    if not owners:
        names = ", ".join(map(str, folders))
        raise InputError(
            f"{path} does not belong to {names}, but to another release.",
            "give the private file that was written with the last release.",
        )
    private.require_for(owners[0].manifest, path)
    if private.series is None:
        raise InputError(
            f"{path} does not remember who had which values: its release was made by "
            f"{private.method}, or its table did not say who each row is about.",
            "begin a series with m_invariance(m=4) and a schema with one identifier.",
        )
    _require_remembered(method, private.series, path, folders, releases)
    return private.series


def _require_remembered(
    method: Method,
    series: Series,
    path: Path,
    folders: Sequence[Path],
    releases: Sequence[Release],
) -> None:
    """Refuse a release of a series that the file knows nothing of: it was made after it."""
    for folder, release in zip(folders, releases, strict=True):
        is_of_one = release.manifest.method.startswith(f"{method.call}(")
        if is_of_one and series.number_of(release.manifest.key_salt) is None:
            raise InputError(
                f"{path} remembers nothing of {folder}, which was made later or is of another series.",
                "give the private file that was written with the last release.",
            )
