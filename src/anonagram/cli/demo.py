"""`anonagram demo`: the whole story on a made-up hospital."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.check import show_findings

if TYPE_CHECKING:
    from anonagram.release import Release

METHOD = "anatomy(l=4)"
QUESTION = (
    "SELECT sex, COUNT(*) FROM data WHERE age >= 60 AND disease = 'Hypertension' GROUP BY sex"
)
ALTERNATIVES = {
    'anatomy(l=4, partition="buckets")': "exact rows, groups by disease alone",
    "permutation(l=4)": "every column rearranged, so rows are nobody",
    "generalize(l=4)": "ranges and sets instead of values",
}


def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo's files.")] = Path(
        "anonagram-demo"
    ),
) -> None:
    """Anonymize a made-up hospital's table, check it, and show before and after.

    Example: anonagram demo
    """
    from anonagram.demo import hospital_table
    from anonagram.models import PrivacyModel
    from anonagram.present import document_of

    with screen.steps():
        _bring_table(folder)
        published = _publish(folder, METHOD, "release")
        claims = published.manifest.claims
        findings = [PrivacyModel.parse(claim.model).check(published) for claim in claims]
        comparison = [_compare(folder, METHOD, "exact rows, close people share a group")]
        comparison += [_compare(folder, *choice) for choice in ALTERNATIVES.items()]
        answers = published.query(QUESTION)

    screen.say("A made-up hospital's table, as it must not be published:")
    screen.print_frame(
        f"Before: {published.manifest.rows.original:,} rows", hospital_table().head(4)
    )
    screen.say(f"Published with {METHOD}: every value is still there, but nobody's disease.")
    _show_group(published)
    risk = published.manifest.risk
    screen.say("The promise, recomputed from the published tables alone:")
    show_findings(findings)
    screen.say(
        "  Whoever knows a patient's age, sex, zip and day of admission finds the group, and by the group\n"
        f"  alone guesses the disease with probability {risk['highest_posterior']:.0%}. Somebody who learns "
        "from all groups may do better:\n"
        f"  anonagram attack {screen.words(folder / 'release')} --original "
        f"{screen.words(folder / 'hospital.csv')}\n"
    )
    screen.say(f"Whoever gets the release asks it in SQL: {QUESTION}")
    screen.show_sections(document_of(answers).sections)
    screen.print_table(
        "Other ways to keep the same promise",
        ["method", "", "NCP a cell", "mean presence"],
        comparison,
        right=2,
    )
    screen.say(
        "NCP: how different the people of a group are. Presence: how sure one can be of a row.\n"
    )
    _say_what_next(folder)


def _bring_table(folder: Path) -> None:
    """Put the table and its schema into the folder; never over somebody's own files."""
    from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
    from anonagram.errors import CannotWrite
    from anonagram.runtime.atomic import replacing

    files = {
        "hospital.csv": hospital_table().write_csv().encode(),
        "hospital.toml": HOSPITAL_SCHEMA.encode(),
    }
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{folder} cannot be made: {error}.", "name another folder.") from error
    for name, content in files.items():
        path = folder / name

        def is_ours(path: Path, content: bytes = content) -> bool:
            return path.is_file() and path.read_bytes() == content

        with replacing(path, is_ours=is_ours, force=True) as partial:
            partial.write_bytes(content)


def _publish(folder: Path, method: str, name: str) -> Release:
    from anonagram.methods import Method
    from anonagram.microdata import Microdata
    from anonagram.release import Release

    microdata = Microdata.read(folder / "hospital.csv", folder / "hospital.toml")
    Method.parse(method).anonymize(microdata).write(folder / name, force=True)
    return Release.read(folder / name)


def _compare(folder: Path, method: str, idea: str) -> list[str]:
    """A line of the comparison: what the method's groups cost and what they risk."""
    from anonagram.key import Key
    from anonagram.measures import Ncp, presence
    from anonagram.methods import Method
    from anonagram.microdata import Microdata

    microdata = Microdata.read(folder / "hospital.csv", folder / "hospital.toml")
    publication = Method.parse(method).publish(microdata, Key.generate())
    release = publication.release
    delta = presence(microdata, release, publication.mapping["group"].to_numpy() - 1)
    seen = "" if delta is None else f"{delta.mean():.2f}"
    return [method, idea, f"{Ncp.of(release).per_cell:.3f}", seen]  # type: ignore[arg-type]


def _show_group(release: Release) -> None:
    group = release.manifest.layout["group"]
    for name, part in release.tables.items():
        screen.print_frame(f"After: {name} (group 1)", part.filter(part[group] == 1))


def _say_what_next(folder: Path) -> None:
    def at(name: str) -> str:
        return screen.words(folder / name)

    data, release, permuted = at("hospital.csv"), at("release"), at("permuted")
    anonymize = f"anonagram anonymize {data} --schema {at('hospital.toml')}"
    screen.say(
        "Try next:\n"
        f"  anonagram inspect {data}\n"
        f'  {anonymize} --method "anatomy(l=6)" -o {at("stronger")} --force\n'
        f'  {anonymize} --method "permutation(l=4)" -o {permuted} --force\n'
        f"  anonagram measure {permuted} --original {data}\n"
        f"  anonagram workload {permuted} --original {data}\n"
        f"  anonagram query {release} \"SELECT AVG(age), COUNT(*) FROM data WHERE sex = 'F'\"\n"
        f'  anonagram check {release} --model "entropy_l_diversity(l=4)"'
    )
