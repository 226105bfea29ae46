"""How what a subject finds out is shown."""

from __future__ import annotations

from anonagram.present.sections import Bar, Cell, Document, Mood, Section, Table, say
from anonagram.shown.wording import how_many
from anonagram.verify import Verification
from anonagram.verify.verification import Belief, Distance
from anonagram.verify.words import percent


def document(found: Verification) -> Document:
    """What stands open first, then what it means, what is known and what somebody would believe."""
    known = ", ".join(_known(found, name, value) for name, value in found.known.items())
    sections = [say(f"Known about you: {known}")]
    if found.ignored:
        sections.append(say(f"Not in the release, and left out: {', '.join(found.ignored)}"))
    sections += [_belief(found, belief) for belief in found.beliefs]
    if found.distance is not None:
        sections.append(_distance(found, found.distance))
    first, *more = found.summary()
    title = f"{found.method}: {how_many(found.rows, 'row')}"
    return Document(title, tuple(sections), headline=first, mood=Mood.PLAIN, told=tuple(more))


def _known(found: Verification, name: str, value: str | None) -> str:
    """What she gave, and what it was read as."""
    told = f"{found.title(name)} {found.told(name, value or None)}"
    read = found.read_as.get(name)
    return told if read is None else f"{told} (published as {found.told(name, read)})"


def _belief(found: Verification, belief: Belief) -> Section:
    rows: list[list[Cell]] = [
        [
            found.told(belief.attribute, each.value),
            percent(each.probability),
            Bar(each.probability),
            percent(each.before),
        ]
        for each in belief.likeliest
    ]
    hidden = belief.possible - len(belief.likeliest)
    return Section(
        f"What somebody who knows you would believe about {found.title(belief.attribute)}",
        Table.of(["value", "believed", "", "in the table"], rows),
        (f"  and {how_many(hidden, 'more value')}",) if hidden else (),
    )


def _distance(found: Verification, distance: Distance) -> Section:
    rows = [
        [found.title(name), f"{d:g}", f"{distance.v[name]:.4g}"] for name, d in distance.d.items()
    ]
    table = Table.of(["column", "d, in ranks", "v, diversity"], rows, right=2)
    return Section("Distance by column", table)
