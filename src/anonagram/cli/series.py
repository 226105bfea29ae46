"""What `anonagram anonymize` does where a release continues earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonagram.cli import screen

if TYPE_CHECKING:
    from anonagram.methods import Method, Publication
    from anonagram.release import Release, Series


def earlier_series(
    method: Method, path: Path | None, folders: list[Path], releases: list[Release]
) -> Series | None:
    """What the private file of an earlier release remembers; refused where it is another's."""
    from anonagram.errors import CallError, InputError
    from anonagram.release import PrivateFile

    if path is None:
        if folders and method.continues:
            raise CallError(
                f"{method.call} continues an earlier release only with its private file.",
                f"--previous-private FILE, which was written when {folders[-1]} was made; without it, "
                "leave --previous out.",
            )
        return None
    if not releases:
        raise CallError(
            f"{path} belongs to an earlier release, and none is given.", "--previous FOLDER."
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
    return private.series


def series_summary(publication: Publication) -> dict[str, Any]:
    """The figures for a program; nothing where no series was begun or continued."""
    series, rows = publication.series, publication.release.manifest.rows
    if series is None:
        return {}
    return {
        "series": {
            "releases": series.number,
            "fewest_values": series.least,
            "counterfeits": rows.added,
            "changed_people": _changed(series),
        }
    }


def show_series(publication: Publication, private: Path | None) -> None:
    """What the releases of a series promise together, and what they cost."""
    series, rows = publication.series, publication.release.manifest.rows
    if rows.added:
        share = f"{rows.added / rows.published:.1%}".replace("%", " %")
        screen.say(
            f"{rows.added:,} of {rows.published:,} rows ({share}) are counterfeits, which are nobody's."
        )
    if series is None:
        return
    if series.number > 1:
        screen.say(
            f"After {series.number} releases nobody in them has fewer than {series.least} values of "
            f"{series.attribute} left."
        )
    if changed := _changed(series):
        screen.say(
            f"For {changed:,} people it shows that {series.attribute} changed, not from what to what: "
            "none of the values possible now was possible before."
        )
    if private is None:
        screen.say("Without --private FILE the next release cannot continue this one.")


def _changed(series: Series) -> int:
    """How many people have had more than one signature."""
    return int(series.people.group_by("person").len()["len"].gt(1).sum())
