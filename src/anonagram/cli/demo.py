"""`anonagram demo`: the whole story on a made-up hospital."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonagram.cli import screen
from anonagram.cli.check import show_findings
from anonagram.cli.demo_graph import demo_graph
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    import polars as pl

    from anonagram.release import Release

METHOD = "anatomy(l=4)"
QUESTION = (
    "SELECT sex, COUNT(*) FROM data\n  WHERE age >= 60 AND disease = 'Hypertension' GROUP BY sex"
)
ALTERNATIVES = {
    'anatomy(l=4, partition="buckets")': "exact rows, by disease",
    "permutation(l=4)": "rows are nobody's",
    "generalize(l=4)": "ranges and sets",
}


def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo's files.")] = Path(
        "anonagram-demo"
    ),
    graph: Annotated[
        bool, typer.Option("--graph", help="A pharmacy instead: who bought what.")
    ] = False,
) -> None:
    """Anonymize a made-up hospital's table, check it, and show before and after.

    Example: anonagram demo
    """
    if graph:
        demo_graph(folder)
        return
    from anonagram.models import PrivacyModel
    from anonagram.present import document_of

    with screen.steps():
        _bring_table(folder)
        published, before, after = story(folder)
        claims = published.manifest.claims
        findings = [PrivacyModel.parse(claim.model).check(published) for claim in claims]
        comparison = [_compare(folder, METHOD, "exact rows, close people")]
        comparison += [_compare(folder, *choice) for choice in ALTERNATIVES.items()]
        answers = published.query(QUESTION)

    screen.say("A made-up hospital's table, as it must not be published:")
    screen.print_frame(
        f"Before: {before.height} of {how_many(published.manifest.rows.original, 'person', 'people')}",
        before,
    )
    first = before["name"][0].split()[0]
    screen.say(f"Published with {METHOD}: every value is still there, but nobody's disease.")
    for name, part in after.items():
        screen.print_frame(f"After: {first}'s group in {name}", part)
    risk = published.manifest.risk
    screen.say("The promise, recomputed from the published tables alone:")
    show_findings(findings)
    screen.say(
        "  Whoever knows a patient's age, sex, zip and day of admission finds the\n"
        "  group, and by the group alone guesses the disease with probability "
        f"{risk['highest_posterior']:.0%}.\n"
        "  Somebody who learns from all groups may do better:\n"
        f"  anonagram attack {screen.words(folder / 'release')} \\\n"
        f"      --original {screen.words(folder / 'hospital.csv')}\n"
    )
    screen.say(f"Whoever gets the release asks it in SQL:\n  {QUESTION}")
    screen.show_sections(document_of(answers).sections)
    screen.print_table(
        "Other ways to keep the same promise",
        ["method", "", "lost detail", "presence"],
        comparison,
        right=2,
    )
    screen.say(
        "Lost detail (NCP): how different the people of a group are, from 0 to 1.\n"
        "Presence: how sure one can be that a person is in her group.\n"
        "The demo draws with a key that everybody knows, so that it is the same every\n"
        "time; anonymize draws a secret one.\n"
    )
    _say_what_next(folder)


def _bring_table(folder: Path) -> None:
    """Put the table and its schema into the folder; never over somebody's own files."""
    from anonagram.demo import HOSPITAL_SCHEMA, hospital_table
    from anonagram.errors import CannotWrite
    from anonagram.key import Key
    from anonagram.runtime.atomic import replacing

    files = {
        "hospital.csv": hospital_table().write_csv().encode(),
        "hospital.toml": HOSPITAL_SCHEMA.encode(),
    }
    if not (folder / "key.txt").exists():
        # for the commands of the docs; with a key of one's own a release can be made again
        files["key.txt"] = Key.generate().secret.hex().encode()
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


def story(folder: Path) -> tuple[Release, pl.DataFrame, dict[str, pl.DataFrame]]:
    """The release, the first patient with whoever shares his group, and what is published of them.

    The README shows the same people.
    """
    from anonagram.key import PUBLIC
    from anonagram.methods import Method
    from anonagram.microdata import Microdata
    from anonagram.release import Release
    from anonagram.sources import load

    microdata = Microdata.read(folder / "hospital.csv", folder / "hospital.toml")
    made = Method.parse(METHOD).publish(microdata, PUBLIC)
    made.release.write(folder / "release", force=True)
    number = made.mapping["group"][0]
    people = load(folder / "hospital.csv").frame.filter(made.mapping["group"] == number)
    release = Release.read(folder / "release")
    column = release.manifest.layout["group"]
    after = {name: part.filter(part[column] == number) for name, part in release.tables.items()}
    return release, people.drop("patient"), after


def _compare(folder: Path, method: str, idea: str) -> list[str]:
    """A line of the comparison: what the method's groups cost and what they risk."""
    from anonagram.key import Key
    from anonagram.measures import Ncp
    from anonagram.measures.presence import presence
    from anonagram.methods import Method
    from anonagram.microdata import Microdata

    microdata = Microdata.read(folder / "hospital.csv", folder / "hospital.toml")
    publication = Method.parse(method).publish(microdata, Key.generate())
    release = publication.release
    delta = presence(microdata, release, publication.mapping["group"].to_numpy() - 1)
    seen = "" if delta is None else f"{delta.mean():.2f}"
    return [method, idea, f"{Ncp.of(release).per_cell:.3f}", seen]  # type: ignore[arg-type]


def _say_what_next(folder: Path) -> None:
    def at(name: str) -> str:
        return screen.words(folder / name)

    data, release, permuted = at("hospital.csv"), at("release"), at("permuted")
    anonymize = f"anonagram anonymize {data} \\\n      --schema {at('hospital.toml')}"
    screen.say(
        "Try next:\n"
        f"  anonagram inspect {data}\n"
        f"  anonagram inspect {data} \\\n"
        f"      --write-schema {at('roles.toml')} \\\n"
        f"      --write-recipe {at('anonagram.toml')}\n"
        f"  anonagram run {at('anonagram.toml')}\n"
        f'  {anonymize} \\\n      --method "anatomy(l=6)" -o {at("stronger")}\n'
        f'  {anonymize} \\\n      --method "permutation(l=4)" -o {permuted}\n'
        f"  anonagram measure {permuted} \\\n      --original {data}\n"
        f"  anonagram workload {permuted} \\\n      --original {data}\n"
        f"  anonagram query {release} \\\n"
        "      \"SELECT AVG(age), COUNT(*) FROM data WHERE sex = 'F'\"\n"
        f'  anonagram check {release} --model "entropy_l_diversity(l=4)"'
    )
