"""From rows that are elsewhere to a release in parts: the one way, wherever the rows are.

The plan follows from the content of the table and the key alone. Values are counted, a sample chosen
by keyed hashes is cut, exact counts say which leaves of the cuts are blocks, and every block is worked
on with a key of its own. So the same key gives the same release, whoever does what and how often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import accumulate
from pathlib import Path
from typing import Any

from anonagram.divided.columns import published_of, read_columns
from anonagram.divided.figures import combine_claims, combine_figures
from anonagram.divided.rows import CodedRows, Rows
from anonagram.divided.work import BlockDone, BlockWork, Numbering, Place
from anonagram.engines.engine import refuse_names_alike
from anonagram.errors import CannotAnonymize, CannotWrite, InternalError
from anonagram.key import Key
from anonagram.methods import Method
from anonagram.methods.blocks import order_of_blocks
from anonagram.microdata import Microdata
from anonagram.partition.blocks import Secrets, blocks_of, digest_of_sums, places_of, with_codes
from anonagram.partition.sampling import looked_at
from anonagram.profile.given_away import refuse_given_away
from anonagram.profile.personal import refuse_personal
from anonagram.release import OpenedRelease, Release, is_bundle
from anonagram.release.bundle import finish_parts
from anonagram.runtime.atomic import replacing
from anonagram.runtime.progress import step
from anonagram.runtime.workspace import remove
from anonagram.schema import Schema

BLOCK = 1 << 20
"""Rows of a block where nothing else is said. It is part of what defines a release, so it depends on
no machine."""
WARNING = "Warning: "
"""How a note begins that is worse than any figure of the release."""


def publish(
    rows: Rows,
    schema: Any,
    method: Method,
    key: Key,
    path: Path,
    *,
    block: int = BLOCK,
    created: date | None = None,
    force: bool = False,
    tell: Callable[[str], object] = lambda _note: None,
) -> OpenedRelease:
    """Make and verify a release of rows that are elsewhere, and write it as a folder of parts.

    `tell` hears what the protector should know of the table, as `Microdata.notes` says it, and of what
    its release gives away.
    """
    require_divisible(method, path)
    schema = Schema.given(schema)
    with replacing(path, is_ours=is_bundle, force=force) as folder:
        scratch = folder.with_name(folder.name + ".scratch")
        try:
            scratch.mkdir()
            step("Counting values")
            drafted = rows.drafted(published_of(rows, schema), scratch)
            table, codes = read_columns(rows, schema, drafted.counted)
            for note in table.notes:
                tell(note)
            refuse_personal(table)
            step("Encoding")
            coded = drafted.coded(codes)
            _make(coded, table, method, key, created, block, folder, scratch, tell)
        finally:
            remove(scratch)
    return Release.open(path)


def require_divisible(method: Method, path: Path) -> None:
    """Refuse before any work what cannot be made in parts."""
    if method.undivided:
        raise CannotAnonymize(
            f"{method.call} cannot work block by block: {method.undivided}.",
            f"{_those_that_can()} can.",
        )
    if not method.shape.is_told_by_blocks:
        raise CannotAnonymize(
            f"{method.call} makes a {method.shape.shape} release, whose figures are about all rows "
            "together and are not found from blocks yet.",
            f"{_those_that_can()} can.",
        )
    if path.suffix.lower() == ".zip":
        raise CannotWrite("A release in parts is a folder.", f"-o {path.with_suffix('')}")


def _those_that_can() -> str:
    *names, last = (
        name
        for name, each in Method.known().items()
        if not each.undivided and each.shape.is_told_by_blocks
    )
    return f"{', '.join(names)} and {last}"


def _make(
    coded: CodedRows,
    table: Microdata,
    method: Method,
    key: Key,
    created: date | None,
    block: int,
    folder: Path,
    scratch: Path,
    tell: Callable[[str], object],
) -> None:
    division = method.division(table)
    division.require_possible(table)
    secrets = Secrets.of(key, table, repr(method), block)
    step("Cutting")
    sample = with_codes(table, looked_at(secrets.sample, table.rows, block, coded.draw))
    refuse_given_away(replace(sample, rows=table.rows))
    cutting = division.cut(sample, table.rows, block)
    proven = places_of(table, division.proven(table))
    counts, sums = coded.count(cutting.cuts, proven, secrets)
    if sum(counts.rows.values()) != table.rows:
        raise InternalError("The rows of the table changed while it was read.", "read it again.")
    blocks = blocks_of(division, cutting, counts, table)
    manifest, own = method.begin(table, key, created, digest_of_sums(table, [sums]))
    if method.shape.alike_over_blocks(manifest) is not None:  # a database will count them
        refuse_names_alike(column.name for column in manifest.columns)
    own_blocks = own.at("rows", block)
    promises = method.promises(table)
    step("Rearranging")
    work = BlockWork(method, table, own, own_blocks, manifest, promises, scratch)
    done = coded.work(blocks, work)
    if tuple(each.rows for each in done) != blocks.sizes:
        raise InternalError("A block was worked on without all of its rows.", "make it again.")
    for ranked in done[0].ranked:
        if ranked.gain > 0:
            tell(f"{WARNING}{ranked} {ranked.remedy}")
    step("Writing")
    order = order_of_blocks(len(done), own_blocks)
    _write(coded, method.shape, [done[number] for number in order], promises, folder, scratch)


def _write(
    coded: CodedRows,
    shape: type[Release],
    blocks: Sequence[BlockDone],
    promises: Sequence[Any],
    folder: Path,
    scratch: Path,
) -> None:
    """Number the groups, write every part, and at last the descriptor that makes it a release."""
    first = next(block for block in blocks if block.number == 0)
    if any((each.manifest, each.schemas) != (first.manifest, first.schemas) for each in blocks):
        raise InternalError("Blocks of one table have different columns.")
    folder.mkdir(mode=0o755)
    for name in first.schemas:
        (folder / name).mkdir(mode=0o755)
    single = [name for name in first.schemas if shape.is_about_all(name)]
    tables = tuple(name for name in first.schemas if name not in single)
    before = accumulate((block.groups for block in blocks), initial=0)
    places = [Place(b.number, n, g) for n, (b, g) in enumerate(zip(blocks, before, strict=False))]
    parts = coded.each(places, Numbering(first.manifest, scratch, folder, tables))
    about_all = Numbering(first.manifest, scratch, folder, tuple(single))(Place(0, 0, 0))
    alike = None
    if (part := shape.alike_over_blocks(first.manifest)) is not None:
        step("Comparing rows")
        alike = coded.count_equal(part, [folder / each[part.table].path for each in parts])
    risk, utility = combine_figures(blocks, {} if alike is None else shape.risk_of_alike(alike))
    claims = combine_claims(promises, blocks, alike)
    manifest = replace(first.manifest, claims=claims, risk=risk, utility=utility)
    listed = {
        name: (
            first.schemas[name],
            [about_all[name]] if name in single else [each[name] for each in parts],
        )
        for name in first.schemas
    }
    finish_parts(folder, shape.told_by(manifest), manifest, listed)
