"""`anonagram anonymize` where the rows are elsewhere: more than memory holds, or on a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonagram.cli import screen
from anonagram.cli.figures import say_figures
from anonagram.shown.wording import how_many

if TYPE_CHECKING:
    from anonagram.cli.graphs import Kept
    from anonagram.divided import Rows
    from anonagram.key import Key
    from anonagram.methods import Method
    from anonagram.models import PrivacyModel
    from anonagram.release import OpenedRelease

UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Work block by block on disk with so much memory, such as 4GiB: for more rows than fit.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Work on Apache Spark: spark://host:7077, local[*], local-cluster[2,1,4096].",
    ),
]
Block = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="ROWS",
        help="Rows of a block, with --memory or --engine; another size gives another release.",
    ),
]


def given_key(path: Path | None, method: Method) -> tuple[Key, date | None]:
    """A new key, or a given one.

    The private file of a release by the same method also says its date, so that the bytes come out
    equal.
    """
    from anonagram.key import Key
    from anonagram.release import PrivateFile

    if path is None:
        return Key.generate(), None
    if PrivateFile.is_one(path):
        earlier = PrivateFile.read(path)
        return earlier.key, earlier.created if earlier.method == repr(method) else None
    return Key.read(path), None


def bytes_in(size: str) -> int:
    """A size as people write it.

    >>> bytes_in("1.5 GiB"), bytes_in("512M")
    (1610612736, 536870912)
    """
    from anonagram.errors import InputError

    read = re.fullmatch(r"(?i)([0-9]+(?:\.[0-9]+)?) *([kmgt]?)(?:i?b)?", size.strip())
    if read is None:
        raise InputError(f"{size!r} is no size.", "--memory 4GiB")
    return int(float(read[1]) * (1 << UNITS[read[2].lower()]))


def require_parts(
    opened: OpenedRelease,
    engine: str | None,
    alone: Mapping[str, object],
    models: Sequence[PrivacyModel] = (),
) -> bool:
    """Whether a release is worked on part by part; one that is not has no use for an engine.

    `alone` has the options that need all of it at once.
    """
    from anonagram.divided.checking import is_partwise
    from anonagram.errors import CallError

    whole = [name for name, given in alone.items() if given]
    whole += [each.call for each in models if not is_partwise(each, opened)]
    if opened.is_in_parts and not whole:
        return True
    if engine is not None:
        why = (
            f"{whole[0]} needs all of the release at once"
            if opened.is_in_parts
            else "the release is not in parts"
        )
        raise CallError(f"--engine is for releases in parts: {why}.", "leave --engine out.")
    return False


@dataclass(frozen=True)
class Elsewhere:
    """Where the work is done, if not in memory."""

    memory: int | None
    engine: str | None
    block: int | None

    @classmethod
    def given(cls, memory: str | None, engine: str | None, block: int | None) -> Elsewhere | None:
        """What the options say; None where the table is read into memory."""
        from anonagram.errors import CallError

        if memory is not None and engine is not None:
            raise CallError(
                "--memory is about this machine, --engine about a cluster.", "give one of the two."
            )
        if memory is None and engine is None:
            if block is not None:
                raise CallError("--block needs --memory or --engine.", "--memory 4GiB")
            return None
        return cls(None if memory is None else bytes_in(memory), engine, block)

    @property
    def option(self) -> str:
        """The option that was given."""
        return "--memory" if self.engine is None else "--engine"

    def refuse(self, options: dict[str, object]) -> None:
        """Refuse an option that needs the rows in memory."""
        from anonagram.errors import CallError

        reasons = {
            "--private": "rows that are elsewhere have no order to map; keep the key (--key)"
        }
        for name, given in options.items():
            if given:
                why = reasons.get(name, "it needs the whole table in memory")
                raise CallError(
                    f"{name} does not go with {self.option}: {why}.", f"leave {name} out."
                )

    @contextmanager
    def rows(self, data: str) -> Iterator[Rows]:
        """The table, where it is."""
        if self.memory is not None:
            from anonagram.divided.on_disk import RowsOnDisk

            yield RowsOnDisk.at(data, self.memory)
            return
        from anonagram.divided.on_spark import rows_on_spark

        with rows_on_spark(str(self.engine), data) as rows:
            yield rows


def anonymize_elsewhere(
    place: Elsewhere, data: str, schema: Path, method: str, kept: Kept, *, as_json: bool
) -> None:
    """Make a release block by block, verify its promise, and write it in parts."""
    from anonagram.divided import BLOCK, publish
    from anonagram.divided.publishing import require_divisible
    from anonagram.methods import Method
    from anonagram.methods.publication import require_places

    chosen = Method.parse(method)
    require_divisible(chosen, kept.output)
    inputs = [each for each in (Path(data), schema, kept.key) if each is not None]
    require_places(kept.output, None, force=kept.force, inputs=inputs)
    key, created = given_key(kept.key, chosen)
    block = place.block or BLOCK
    notes = [NOT_LOOKED_AT]
    with screen.steps() as seconds, place.rows(data) as rows:
        opened = publish(
            rows, schema, chosen, key, kept.output,
            block=block, created=created, force=kept.force, tell=notes.append,
        )  # fmt: skip
    if as_json:
        screen.print_json(_summary(opened, kept.output, block, seconds) | {"notes": notes})
    else:
        _show(opened, kept, notes)


def _summary(
    opened: OpenedRelease, output: Path, block: int, seconds: dict[str, float]
) -> dict[str, Any]:
    from anonagram.measures.published import headline_of

    manifest = opened.manifest
    return {
        "folder": str(output),
        "headline": headline_of(manifest),
        "method": manifest.method,
        "rows": manifest.rows.published,
        "block": block,
        "tables": {name: table.rows for name, table in opened.tables.items()},
        "parts": {name: len(table.paths) for name, table in opened.tables.items()},
        "claims": [{"model": c.model, "achieved": c.achieved} for c in manifest.claims],
        "risk": manifest.risk,
        "utility": manifest.utility,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }


NOT_LOOKED_AT = (
    "Nobody looked whether somebody has several rows, or what a model learns from all groups together: "
    "promises are about rows."
)


def _show(opened: OpenedRelease, kept: Kept, notes: Sequence[str]) -> None:
    from anonagram.divided.publishing import WARNING
    from anonagram.measures.published import headline_of

    manifest = opened.manifest
    headline = headline_of(manifest)
    told = [] if headline is None else [headline]
    for note in sorted([*told, *notes], key=lambda each: not each.startswith(WARNING)):
        screen.say(note)  # the worst first
    claims = "".join(f", {c.model} achieved {c.achieved:g}" for c in manifest.claims)
    screen.say(
        f"Wrote {kept.output}: {manifest.method}, {how_many(manifest.rows.published, 'row')}{claims}."
    )
    for name, table in opened.tables.items():
        parts = "part" if len(table.paths) == 1 else "parts"
        columns = len(table.schema)
        screen.say(
            f"  {name}: {how_many(table.rows, 'row')} × {how_many(columns, 'column')}, "
            f"{len(table.paths):,} {parts}"
        )
    say_figures(manifest)
    if kept.key is None:
        screen.say("The key was not kept; with --key FILE the release can be made again.")
    screen.say(f"Next: anonagram {screen.words('check', kept.output)}")
