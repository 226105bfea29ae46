"""`anonagram check`: recompute promises from the published tables alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.options import AsJson, Folder

if TYPE_CHECKING:
    from anonagram.models import Finding

DOES_NOT_HOLD = 1


def check(
    folder: Folder,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="CALL", help='For example "l_diversity(l=4)"; may be repeated.'),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a release: what its manifest claims, or the models you name.

    Exit code 0: all hold; 1: one does not; 2: bad input.

    Example: anonagram check release --model "k_anonymity(k=5)" --model "entropy_l_diversity(l=3)"
    """
    from anonagram.errors import CallError
    from anonagram.models import PrivacyModel
    from anonagram.release import Release
    from anonagram.runtime.progress import step

    models = [PrivacyModel.parse(text) for text in model or ()]
    with screen.steps():
        step("Reading")
        release = Release.read(folder)
        step("Checking")
        claimed = [PrivacyModel.parse(claim.model) for claim in release.manifest.claims]
        if not models and not claimed:
            raise CallError(
                f"{folder} claims nothing.",
                '--model "k_anonymity(k=3)", or with the original: anonagram audit.',
            )
        findings = [each.check(release) for each in models or claimed]
    if as_json:
        screen.print_json([finding.to_dict() for finding in findings])
    else:
        screen.say(repr(release))
        show_findings(findings)
    if not all(finding.holds for finding in findings):
        raise typer.Exit(DOES_NOT_HOLD)


def show_findings(findings: list[Finding]) -> None:
    """A line each finding, what does not hold first, with its weakest groups."""
    from anonagram.present import document_of

    for finding in sorted(findings, key=lambda each: each.holds):
        shown = document_of(finding)
        screen.say(f"  {shown.headline}")
        for line in shown.told:
            screen.say(f"    {line}")
        screen.show_sections(shown.sections)
