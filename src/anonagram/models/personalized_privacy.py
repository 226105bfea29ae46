"""Personalized privacy: everybody is hidden as widely as she asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import Between
from anonagram.columns.distribution import Distribution, IsTarget
from anonagram.columns.places import is_measured
from anonagram.columns.wishes import EVERYTHING, Guard, read_wishes
from anonagram.errors import CallError
from anonagram.microdata import Microdata
from anonagram.models.followed import ROUNDING, furthest_off, targets_off, weights_note
from anonagram.models.model import WORST_SHOWN, Finding, PrivacyModel, refuse_shape
from anonagram.release import Release, WithSubdomains
from anonagram.shown.wording import how_many, option

Ints = NDArray[np.int64]
UNSEEN = "whether that is what each of them asked for, only the protector can compare"


@dataclass(frozen=True, repr=False)
class PersonalizedPrivacy(
    PrivacyModel,
    call="personalized_privacy",
    example='personalized_privacy(target="uniform", rounding=0.1)',
):
    """Zhang (2007, Definition 5.3.1): inside what a person asks for, her group tells the target.

    A release alone tells for each group the narrowest subdomain that has all of its subdomains, and
    that inside it the shares of siblings are those of their weights: whoever asks for no more than
    that has it. Who asked for what is not published; with the original, where the column `guard` has
    that role, and the private file, everybody is looked at.
    """

    guard: Guard = None
    target: Annotated[str, IsTarget()] = "uniform"
    rounding: Annotated[float, Between(0, 1)] = 0.0
    not_promised = (
        "anything outside of what a person asked for. And it is about somebody who sees one group and "
        "knows nothing of the others in it: who knows what some of them have, because they asked for "
        "little, can leave them out, and believes more of those who remain."
    )

    def check(self, release: Release) -> Finding:
        """Whether every group keeps the target's ratios below its top."""
        return self._check(release, None, None)

    def compare(
        self, release: Release, original: Microdata, group_of: NDArray[np.int32] | None = None
    ) -> Finding:
        """The same, and whether that is as wide as each person asks for."""
        return self._check(release, original, group_of)

    def _check(
        self, release: Release, original: Microdata | None, group_of: NDArray[np.int32] | None
    ) -> Finding:
        subdomains = getattr(release, "subdomains", None)
        if subdomains is None:
            refuse_shape(self, release, "looks at published subdomains")
        tops = {name: _tops(subdomains, name) for name in subdomains.sensitive}
        levels = pl.concat(_levels(subdomains, name, tops[name]) for name in tops)
        target = Distribution.parse(self.target)
        off, unknown = targets_off(subdomains, lambda _: target, original)
        broken = levels.filter(pl.col("off") > ROUNDING)
        weak = 0 if original is None else self._ask(subdomains, original, tops, group_of)
        worst = levels.bottom_k(WORST_SHOWN, by=["level", "group"]).sort("level", "group")
        note = weights_note(off, unknown)
        return Finding(
            model=self,
            holds=broken.is_empty() and off <= self.rounding + ROUNDING and not weak,
            achieved=float(levels["level"].min()),  # type: ignore[arg-type]
            worst=tuple(worst.drop("off").to_dicts()),
            violating_groups=broken["group"].n_unique(),
            violating_rows=weak or int(broken.unique("group")["rows"].sum()),
            note=f"{UNSEEN}; {note}" if original is None else note,
            needed="" if original is None else "the original",
        )

    def _ask(
        self,
        release: WithSubdomains,
        original: Microdata,
        tops: dict[str, Ints],
        group_of: NDArray[np.int32] | None,
    ) -> int:
        """How many people are hidden less widely than they ask for."""
        wishes = self._wishes(original)
        weak = np.zeros(original.rows, np.bool_)
        for name in release.sensitive:
            held = _Held(release, original, name, tops[name], wishes)
            weak |= ~(held.in_groups(group_of) if group_of is not None else held.anywhere())
        return int(weak.sum())

    def _wishes(self, original: Microdata) -> pl.Series:
        """What each person asks for; all values where there is no guard."""
        if self.guard is None and len(original.guards) < 2:
            return next(
                iter(original.guards.values()),
                pl.Series([EVERYTHING]).new_from_index(0, original.rows),
            )
        if self.guard is None or self.guard not in original.guards:
            raise CallError(
                f"What people ask for is in {self.guard or 'one of several columns'}, and nothing says "
                f"that {original.label} has it.",
                f"{option('--schema FILE', 'Microdata.read with a schema')} in which "
                f'{self.guard or "the column"} has the role "guard".',
            )
        return original.guards[self.guard]


def _tops(release: WithSubdomains, name: str) -> Ints:
    """For each group (from 0) the narrowest node that has all of its subdomains."""
    tree, slots = release.tree(name), release.slots(name)
    ends = pl.DataFrame(
        {
            "group": slots.group,
            "low": tree.nodes.low[slots.node],
            "high": tree.nodes.high[slots.node],
            "node": slots.node,
        }
    )
    found = (
        ends.group_by("group")
        .agg(pl.col("low").min(), pl.col("high").max(), pl.col("node").first())
        .sort("group")
    )
    low, high, at = (found[each].to_numpy() for each in ("low", "high", "node"))
    while (short := (tree.nodes.low[at] > low) | (tree.nodes.high[at] < high)).any():
        at = np.where(short, tree.nodes.parent[at], at)
    return at.astype(np.int64)


def _levels(release: WithSubdomains, name: str, tops: Ints) -> pl.DataFrame:
    """For each group how wide its top is, and how far shares below it are from the weights'."""
    sizes = release.group_sizes().sort("group")
    wide = pl.Series("level", release.widths(name)[tops])
    off = furthest_off(release, name, tops)
    return (
        sizes.with_columns(wide, pl.lit(name).alias("attribute"))
        .join(off, on="group", how="left")
        .select("group", "attribute", "rows", "level", pl.col("off").fill_null(0.0))
    )


@dataclass(frozen=True)
class _Held:
    """Everybody's wish beside the tops of a release's groups."""

    release: WithSubdomains
    original: Microdata
    name: str
    tops: Ints
    wishes: pl.Series

    def in_groups(self, group_of: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each person has in her group (from 1) what she asks for."""
        numbers = self.release.group_sizes()["group"].sort().to_numpy()
        return self._keeps(np.arange(self.original.rows), np.searchsorted(numbers, group_of))

    def anywhere(self) -> NDArray[np.bool_]:
        """Whether each person has it in every group with her quasi-identifiers."""
        quasi, group = self.release.quasi, self.release.manifest.layout["group"]
        known = [name for name in quasi.columns if name != group]
        people = (
            self.original.frame()
            .select(known)
            .cast({name: quasi.schema[name] for name in known})
            .with_row_index("person")
        )
        numbers = quasi[group].unique().sort()
        found = people.join(quasi.unique(), on=known, how="left", nulls_equal=True)
        person = found["person"].to_numpy().astype(np.int64)
        keeps = self._keeps(person, numbers.search_sorted(found[group]).to_numpy())
        never = np.bincount(person, keeps, self.original.rows) == 0
        always = np.bincount(person, ~keeps, self.original.rows) == 0
        if not never.any() and not always.all():
            raise CallError(
                f"{how_many(int((~always).sum()), 'person has', 'people have')} the same "
                "quasi-identifiers as others who asked for less: the original alone does not tell "
                "whose group is whose.",
                f"{option('--private FILE', 'group_of=')}, the private file of the release.",
            )
        met: NDArray[np.bool_] = ~never
        return met

    def _keeps(self, person: Ints, group: Ints) -> NDArray[np.bool_]:
        """Whether the tops of groups have what people ask for, and their values."""
        tree, column = self.release.tree(self.name), self.original.column(self.name)
        distinct = self.wishes.unique(maintain_order=True)
        asked = read_wishes(distinct, tree.values, column.kind, column.hierarchy)
        place = self.wishes.replace_strict(distinct, pl.int_range(len(distinct), eager=True))
        wish = place.to_numpy()[person]
        values = pl.DataFrame({"value": tree.values}).with_row_index("code")
        own = column.decode(column.codes).cast(tree.values.dtype).to_frame("value")
        code = own.join(values, on="value", how="left", nulls_equal=True, maintain_order="left")
        at = code["code"].to_numpy().astype(np.int64)[person]
        top = self.tops[group]
        low, high = tree.nodes.low[top], tree.nodes.high[top] - 1
        wide = (
            self.release.widths(self.name)
            if is_measured(column.kind)
            else tree.nodes.high - tree.nodes.low
        )
        keeps: NDArray[np.bool_] = (low <= at) & (at <= high) & (wide[top] >= asked.width[wish])
        keeps &= (low <= asked.low[wish]) & (high >= asked.high[wish])
        return keeps
