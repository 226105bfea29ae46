"""What the private file of an earlier release remembers for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anonagram.errors import CallError, CannotAnonymize, InputError
from anonagram.methods.method import Method
from anonagram.microdata import Microdata
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
        call = private.method.partition("(")[0]
        why = (
            "when it was made, the schema did not say who each row is about"
            if call == method.call
            else f"{call} is for one release, and remembers nobody"
        )
        raise InputError(
            f"{path} does not remember who had which values: {why}. So the series ends with "
            f"{folders[-1]}, and this release cannot keep what that one promised.",
            "publish people who are in no earlier release as the first of a new series, with a schema of one "
            f"identifier; or {option('--previous', 'intersect')} without the private file measures what "
            "another method tells together with it.",
        )
    _require_remembered(method, private.series, path, folders, releases)
    return private.series


def require_rememberable(method: Method, microdata: Microdata, private: Path | None) -> None:
    """Refuse to begin a series whose private file could not tell the next release who is who."""
    if not method.continues or private is None:
        return
    if why := why_nobody_is_known(microdata):
        raise CannotAnonymize(
            f"{private} could not remember who had which values, so no release could continue this one: "
            f"{why}.",
            "say in the schema whose row is whose: one identifier, or one of several with "
            'name = { role = "identifier", rows_per_person = 1 }; without a private file the '
            "release is made for this once.",
        )


def why_nobody_is_known(microdata: Microdata) -> str:
    """Why people of a table cannot be found again in the next; empty where they can.

    >>> why_nobody_is_known(Microdata.read({"age": [1, 2]}, {"age": "quasi"}))
    'the schema has no identifier, or several and does not say which of them tells people apart'
    """
    persons = microdata.persons
    if persons is None:
        return "the schema has no identifier, or several and does not say which of them tells people apart"
    if persons.has_nulls():
        return "some rows have no identifier"
    return "several rows have the same identifier" if persons.is_duplicated().any() else ""


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
