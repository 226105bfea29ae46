"""From a recipe to what came of it; nothing is written here."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from anonagram.attacks import Target
from anonagram.attacks.aligned.published import aligned_with
from anonagram.comparison import Comparison, compare
from anonagram.comparison.grid import read_calls
from anonagram.errors import CallError, InputError
from anonagram.key import Key
from anonagram.methods import Method, Publication
from anonagram.methods.earlier import earlier_series, require_rememberable
from anonagram.methods.remembered import who_was_in
from anonagram.microdata import Microdata
from anonagram.recipes.limits import attacks_kept, checks_kept
from anonagram.recipes.outcome import Outcome
from anonagram.recipes.places import Place, latest, stamps_of
from anonagram.recipes.recipe import Compared, Recipe
from anonagram.release import Release, Series, is_bundle
from anonagram.reports import report_on
from anonagram.runtime.progress import step


def run(recipe: Recipe, day: date, folder: str | Path = ".") -> Outcome:
    r"""Make the release that a recipe tells of, and look whether its limits are kept.

    Places are looked for from the folder, and earlier releases among those that stand where this one
    will: a method that continues them does, and every other one is tried together with them.

    >>> import tempfile
    >>> from anonagram.recipes import Written
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("age,ill\n31,flu\n45,cut\n52,gout\n60,flu\n")
    >>> _ = (folder / "a.toml").write_text('[columns]\nage = "quasi"\nill = "sensitive"\n')
    >>> recipe = Recipe(
    ...     data="a.csv", schema="a.toml", method="anatomy(l=2)",
    ...     checks=("l_diversity(l=2)", "l_diversity(l=3)"), write=Written("release"),
    ... )
    >>> for limit in run(recipe, date(2026, 11, 18), folder).limits:
    ...     print(limit)
    ✓ l_diversity(l=2): must hold; found 2
    ✗ l_diversity(l=3): must hold; found 2
    """
    folder = Path(folder)
    method = Method.parse(recipe.method)
    step("Reading")
    places, series = _earlier(recipe, method, day, folder)
    microdata = Microdata.read(_data(recipe, day, folder), folder / recipe.schema)
    _require_same_table(microdata, places)
    private = None if recipe.write.private is None else Path(recipe.write.private)
    require_rememberable(method, microdata, private)
    key = Key.generate() if recipe.key is None else Key.read(folder / recipe.key)
    publication = method.publish(microdata, key, day, earlier=series)
    if recipe.write.help_table:
        publication = publication.with_help_tables()
    target = _target(microdata, publication, tuple(places.values()))
    report = report_on(publication.release, microdata, target.pair, target.others, target.present)
    tried = [*(report.attacks or ()), *(report.audit.results if report.audit else ())]
    limits = (*checks_kept(recipe, target), *attacks_kept(recipe, target, tried))
    found = Outcome(recipe, microdata, publication, report, limits, tuple(places))
    return replace(found, comparison=_compared(recipe, microdata, folder)) if found.holds else found


def _require_same_table(microdata: Microdata, places: dict[Path, Release]) -> None:
    """Refuse to go on beside a release of something else, by its place and not by its number."""
    sensitive = [column.name for column in microdata.with_role("sensitive")]
    for path, release in places.items():
        if sensitive and not {*sensitive} & {*release.manifest.named("sensitive")}:
            raise InputError(
                f"{path} is a release of another table: it shares no sensitive column with "
                f"{microdata.label}, which has {', '.join(sensitive)}.",
                "move it away, or write the releases of this recipe elsewhere.",
            )


def _compared(recipe: Recipe, microdata: Microdata, folder: Path) -> Comparison | None:
    """Other methods on the same table, where a page of it is asked for."""
    if recipe.write.comparison is None:
        return None
    asked = recipe.compare or Compared()
    calls = None if asked.methods is None else read_calls(folder / asked.methods)
    return compare(microdata, calls, asked.purpose, seconds=asked.seconds)


def _data(recipe: Recipe, day: date, folder: Path) -> str:
    """The file with this day's stamps, or an address as it is."""
    at = Place(recipe.data, folder).on(day)
    return recipe.data if "://" in recipe.data else str(at)


def _target(microdata: Microdata, publication: Publication, others: tuple[Release, ...]) -> Target:
    """What intruders are given: all that there is."""
    release = publication.release
    pair = aligned_with(microdata, publication) if release.masked else None
    present = tuple(who_was_in(microdata, each, publication.series) for each in others)
    return Target(release, microdata, pair, others, present)


def _earlier(
    recipe: Recipe, method: Method, day: date, folder: Path
) -> tuple[dict[Path, Release], Series | None]:
    """Other releases by this recipe, and what is remembered of them where the method continues them."""
    place = Place(recipe.write.release, folder)
    stamps = {path: each for path, each in place.others(day).items() if is_bundle(path)}
    releases = {path: Release.read(path) for path in stamps}
    if not method.continues:
        return releases, None
    _require_continuable(recipe, method)
    if not releases:
        return {}, None
    newest = list(releases)[-1]
    today = {name: stamps_of(day)[name] for name in place.stamps}
    if latest(stamps[newest]) > latest(today):
        raise InputError(
            f"{newest} is later than the release to be made, which cannot continue it.",
            "make releases of a series in their order, or move the later one away.",
        )
    private = Place(str(recipe.write.private), folder).with_stamps(stamps[newest])
    return releases, earlier_series(method, private, list(releases), list(releases.values()))


def _require_continuable(recipe: Recipe, method: Method) -> None:
    """Refuse a series that could not go on next time."""
    release, private = recipe.write.release, recipe.write.private
    if private is None:
        raise CallError(
            f"{method.call} goes on next time only with its private file, and none is kept.",
            'below [write]: private = "{month}.private"',
        )
    if not Place(release).stamps or {*Place(private).stamps} != {*Place(release).stamps}:
        raise CallError(
            "Which private file belongs to which release of a series shows by the same {month} or "
            f"{{date}} in both; {release!r} and {private!r} do not have it.",
            'release = "release-{month}" and private = "{month}.private"',
        )
