"""`anonagram check`: recompute promises from the published tables; some need the original too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.audit import tell_time
from anonagram.cli.divided import require_parts
from anonagram.cli.options import AsJson, Folder, OriginalSchema, PartsEngine
from anonagram.shown.wording import how_many, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anonagram.microdata import Microdata
    from anonagram.models import Finding, PrivacyModel
    from anonagram.release import OpenedRelease, Release

DOES_NOT_HOLD = 1


def check(
    folder: Folder,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="CALL", help='For example "l_diversity(l=4)"; may be repeated.'),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The table it was made from, for models that need it."),
    ] = None,
    schema: OriginalSchema = None,
    private: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Its private file: tells whose group is whose (personalized_privacy).",
        ),
    ] = None,
    engine: PartsEngine = None,
    as_json: AsJson = False,
) -> None:
    """Check a release: what its manifest claims, or the models you name.

    Exit code 0: all hold; 1: one does not; 2: bad input. With --original also what the strongest
    learner, or whoever undoes replacements, gets all the same; withstands_learning needs it, and
    personalized_privacy to know what each person asked for (with --schema, and --private).
    A release in parts is checked part by part, unless a model or --original needs all of it.

    Example: anonagram check release --model "k_anonymity(k=5)" --model "entropy_l_diversity(l=3)"
    """
    from anonagram.errors import CallError
    from anonagram.models import PrivacyModel
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    models = [PrivacyModel.parse(text) for text in model or ()]
    with screen.steps():
        step("Reading")
        opened = Release.open(folder)
        claimed = [PrivacyModel.parse(claim.model) for claim in opened.manifest.claims]
        if not models and not claimed:
            raise CallError(
                f"{folder} claims nothing.",
                '--model "k_anonymity(k=3)", or with the original: anonagram audit.',
            )
        alone = {"--original": original, "--private": private}
        if require_parts(opened, engine, alone, models or claimed):
            checked = _check_parts(opened, models or claimed, engine)
        else:
            checked = _check(opened.path, models or claimed, original, schema, private)
    findings, known, heading, tries = checked
    if as_json:
        told = [finding.to_dict() for finding in findings]
        screen.print_json([each | {"strongest_known": known} for each in told])
    else:
        for figure in known:
            screen.say(figure)
        # what was found comes before what the bundle says of itself
        show_findings(findings)
        if original is None and all(finding.holds for finding in findings):
            screen.say(f"What intruders get all the same: anonagram {tries}")
        screen.say(f"Checked: {heading}")
    if not all(finding.holds for finding in findings):
        raise typer.Exit(DOES_NOT_HOLD)


Checked = tuple[list["Finding"], list[str], str, str]
"""What was found, what intruders get, what was checked, and the command that tells of intruders."""


def _check(
    folder: Path,
    models: list[PrivacyModel],
    original: str | None,
    schema: Path | None,
    private: Path | None,
) -> Checked:
    from anonagram.measures import read_original
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    release = Release.read(folder)
    step("Checking")
    table = None if original is None else read_original(original, release, schema)
    group_of = None if private is None else _groups(private, table, release)
    findings = [
        each.check(release) if table is None else each.compare(release, table, group_of)
        for each in models
    ]
    # those who look at nothing but a promise are told what intruders get all the same
    known = [] if table is None or any(f.needed for f in findings) else strongest(release, table)
    return findings, known, release.heading, _tries(release, folder)


def _check_parts(opened: OpenedRelease, models: list[PrivacyModel], engine: str | None) -> Checked:
    from anonagram.divided.checking import check_parts

    found = check_parts(opened, models, engine)
    groups = f" in {how_many(found.groups, 'group')}" if found.groups else ""
    rows = how_many(opened.manifest.rows.published, "row")
    rows = f"{rows}{groups}, {how_many(found.parts, 'part')}"
    heading = f"{opened.shape.__name__}({opened.manifest.method}: {rows})"
    return found.findings, [], heading, f"attack {opened.path} --original DATA (loads all of it)"


def _tries(release: Release, folder: Path) -> str:
    """The command that tells it: `check` itself where somebody guesses from the release alone."""
    if release.graph is not None:
        return f"attack {folder}"
    return f"{'check' if _is_guessed(release) else 'attack'} {folder} --original DATA"


def _is_guessed(release: Release) -> bool:
    """Whether `strongest` has an intruder for it."""
    groups = release.with_groups
    is_exact = groups is not None and groups.has_exact_rows and groups.subdomains is None
    return release.replaced is not None or is_exact


def _groups(private: Path, table: Microdata | None, release: Release) -> NDArray[np.int32]:
    """The published group number of each row of the original."""
    from anonagram.errors import CallError
    from anonagram.release import PrivateFile

    secret = PrivateFile.read(private)
    secret.require_for(release.manifest, private)
    if table is None or "group" not in secret.mapping.columns:
        raise CallError(
            "--private tells the groups of the original's rows, and "
            + ("--original is not given." if table is None else "this release has none."),
            "add --original DATA." if table is None else "leave it out.",
        )
    return secret.mapping["group"].to_numpy()


def show_findings(findings: list[Finding]) -> None:
    """A line each finding, what does not hold first, with its weakest groups."""
    from anonagram.present import document_of

    said: set[str] = set()
    for finding in sorted(findings, key=lambda each: each.holds):
        shown = document_of(finding)
        screen.say(f"  {shown.headline}")
        for line in shown.told:
            if line not in said:
                screen.say(f"    {line}")
            said.add(line)
        screen.show_sections(shown.sections)


def strongest(release: Release, original: Microdata) -> list[str]:
    """What the strongest of our intruders who needs nothing else gets from the release."""
    from anonagram.learning import MOST_VALUES, learning_seconds, rank_all, score_strongest
    from anonagram.measures.guessing import row_guesses
    from anonagram.runtime.progress import step

    if release.replaced is not None:
        step("Looking whose row is whose")
        guesses = row_guesses(release.replaced, original)
        return [] if guesses is None else [str(guesses)]
    step("Sorting amounts")
    ranked = [f"{each} {each.remedy}" for each in rank_all(release, original) if each.gain > 0]
    groups = release.with_groups
    if groups is None or not _is_guessed(release):
        return ranked
    few = [c.name for c in original.with_role("sensitive") if c.cardinality <= MOST_VALUES]
    values = sum(original.column(name).cardinality for name in few)
    quasi = len(original.with_role("quasi"))
    what = f"Guessing {listed(few)} with the release, and without it from other people,"
    tell_time(learning_seconds(original.rows, quasi, values), what)
    told = ranked
    for name in few:
        step(f"Guessing {name}")
        told.append(f"{score_strongest(groups, original, name)}.")
    return told
