"""The part of a statement that bounds aggregates of a column, from hits and ranked values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sqlglot import exp

from anonagram.queries.fields import FIELDS
from anonagram.queries.reading.question import Aggregate, columns_of, plain_name
from anonagram.queries.rearranged.amounts import Amount, digits_in_double, is_single
from anonagram.queries.rearranged.cells import Cells
from anonagram.queries.rearranged.distinct import write_distinct
from anonagram.queries.rearranged.enclosures import enclosure_of
from anonagram.queries.rearranged.hits import Hits
from anonagram.queries.rearranged.listing import Listing, Sampled, listing_of, most_pairs
from anonagram.queries.rearranged.monotone import direction, of_present
from anonagram.queries.rearranged.plan import Plan
from anonagram.queries.rearranged.quantiles import HAS_QUANTILES, Quantile
from anonagram.queries.rearranged.work import Taken, Work
from anonagram.queries.sql import UNKNOWN, by, on_table, quote, rows, size_of, with_column
from anonagram.release.sheet import RANGES, Part

FURTHER = ("DISTINCT", "QUANTILE_CONT", "QUANTILE_DISC")
"""Aggregates whose bounds are written in files of their own."""

DISTINCT_BY_ENDS = (
    "s.expected",
    "CASE WHEN s.sure > 0 THEN CASE WHEN s.least_top < s.greatest_bottom THEN 2 ELSE 1 END "
    "ELSE 0 END",
    "s.most",
)
"""Of values between two others that nobody can list: everybody's may be another one, or all but
those at both ends the same."""


EVEN_ODDS = "LN(0.5) + 1e-9"
"""Chances of one half are reached however a database rounds: they are met exactly all the time."""


@dataclass
class Totals:
    """Writes a query with the fields of all aggregates of one argument."""

    plan: Plan
    hits: Hits
    parts: dict[str, str]
    """Named queries of the statement, in the order they are needed."""
    work: Work

    def write(self, number: int, argument: exp.Expr, places: list[int]) -> str:
        """The query `total_<number>`, for the aggregates at these places of the question."""
        part = self.plan.part_of(argument)
        aggregates = {place: self.plan.question.aggregates[place] for place in places}
        for aggregate in aggregates.values():
            self._require_type(aggregate, argument, part)
        if part == RANGES:
            return self._bounded(number, argument, part, aggregates)
        if self.plan.is_known(part):
            return self._exact(number, argument, self.plan.sheet.parts[part], aggregates)
        return self._bounded(number, argument, part, aggregates)

    def _require_type(self, aggregate: Aggregate, argument: exp.Expr, part: str) -> None:
        column = columns_of(argument)[0]
        dtype = self.plan.sheet.dtypes[column]
        bare = isinstance(argument.unnest(), exp.Column)
        if part == RANGES and not self._is_told(argument):
            self._refuse_range(argument, column)
        needs_number = aggregate.function in ("SUM", "AVG")
        if bare and needs_number and not dtype.is_numeric():
            self.plan.question.refuse(
                argument,
                f"{column} is not a number: it has no {aggregate.function}.",
                f"SELECT MIN({plain_name(column)}), MAX({plain_name(column)}) FROM data …",
            )
        is_between = aggregate.function == "QUANTILE_CONT"
        if is_between and self.plan.kind_of(argument) not in HAS_QUANTILES:
            self.plan.question.refuse(
                argument,
                f"{column} is neither a number nor a date, with others between two of them.",
                f"QUANTILE_DISC({plain_name(column)}, 0.5)",
            )

    def _refuse_range(self, argument: exp.Expr, column: str) -> NoReturn:
        self.plan.question.refuse(
            argument,
            f"{column} is told only as a range or a set of values for each group.",
            f"SELECT COUNT(*) FROM data WHERE {plain_name(column)} …",
        )

    def _is_told(self, argument: exp.Expr) -> bool:
        """Whether it is known between what an expression over ranges lies."""
        if self._by_ends(argument) or self._listing(argument) is not None:
            return True
        return enclosure_of(argument, self.plan.sheet) is not None

    def _by_ends(self, argument: exp.Expr) -> int:
        """1 or -1 where both ends of a range become the ends of what is asked about, else 0."""
        name, *others = columns_of(argument)
        column = self.plan.sheet.ranges[name]
        return 0 if others or column.is_listed else direction(argument, column.dtype)

    def _listing(self, argument: exp.Expr) -> Listing | None:
        """The values of its column, if they can be listed and are not too many beside the keys."""
        name, *others = columns_of(argument)
        if others:
            return None
        column = self.plan.sheet.ranges[name]
        listing = listing_of(self.plan.sheet, column, [argument]) or self._ends_of(argument)
        return listing if listing is not None and self._are_few(listing) else None

    def _ends_of(self, argument: exp.Expr) -> Listing | None:
        """Both ends and a missing value, where a function keeps the order of what is there."""
        column = self.plan.sheet.ranges[columns_of(argument)[0]]
        if column.is_listed or not direction(of_present(argument), column.dtype):
            return None
        ends = Sampled(self.plan.sheet, column, Cells(None, ()))
        return ends if ends.has_type else None

    def _are_few(self, listing: Listing) -> bool:
        """Whether values that are listed for each key are not too many."""
        sheet = self.plan.sheet
        listed = [
            listing_of(sheet, sheet.ranges[name], keys)
            for name, keys in self.plan.range_keys.items()
        ]
        return most_pairs([listing, *(each for each in listed if each is not None)]) is None

    def _is_counted(self, argument: exp.Expr) -> bool:
        """Whether different values of a range are few enough to be looked at one by one."""
        name, *others = columns_of(argument)
        if others:
            return False
        listing = listing_of(self.plan.sheet, self.plan.sheet.ranges[name], [argument])
        return listing is not None and self._are_few(listing)

    def _exact(
        self, number: int, argument: exp.Expr, part: Part, aggregates: dict[int, Aggregate]
    ) -> str:
        """The rows are known: the aggregate itself."""
        x, amount = on_table(argument), Amount.of(self.plan, argument)
        columns = self.plan.key_columns(self.plan.all_keys)
        sure = f"COUNT({x})" if part.weight is None else rows(part.weight, f"{x} IS NOT NULL")
        columns.append(f"{sure} AS sure")
        if self.plan.is_summed(argument):
            w = "1" if part.weight is None else f"t.{quote(part.weight)}"
            columns.append(f"SUM(ABS(CAST({x} AS DOUBLE)) * {w}) AS size")
        quantiles = [place for place, each in aggregates.items() if each.share is not None]
        for place, aggregate in aggregates.items():
            if place not in quantiles:
                value = _plain_aggregate(aggregate.function, x, part.weight, amount)
                columns.append(f"{value} AS v{place}")
        self.parts[f"exact_{number}"] = (
            f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t"
            f"{self.plan.where(part)}{by(len(self.plan.question.keys))}"
        )
        shown, joins = [f"e.k{k} AS k{k}" for k in self.plan.all_keys], ""
        for place in quantiles:
            values = self._known_quantile(place, argument, part)
            joins += self._keyed_join(f"further_{place}", "e")
            shown += [f"{v} AS a{place}_{name}" for name, v in zip(FIELDS, values, strict=True)]
        for place, aggregate in aggregates.items():
            if place in quantiles:
                continue
            slack = None
            if aggregate.function == "SUM":
                slack = amount.sum_slack("e.size")
            elif aggregate.function == "AVG":
                # a sum of decimals is exact, and what is rounded afterwards is the mean itself
                is_exact = amount.kind == "decimal"
                mean = f"ABS(e.v{place})" if is_exact else "e.size / NULLIF(e.sure, 0)"
                slack = amount.mean_slack("e.size", mean)
            bounds = _widened([f"e.v{place}", f"e.v{place}"], slack)
            sure = "1" if aggregate.function in ("COUNT", "DISTINCT") else "e.sure"
            values = [f"e.v{place}", *bounds, "0.0", sure]
            shown += [f"{v} AS a{place}_{name}" for name, v in zip(FIELDS, values, strict=True)]
        self.parts[f"total_{number}"] = f"SELECT {', '.join(shown)} FROM exact_{number} AS e{joins}"
        return f"total_{number}"

    def _bounded(
        self, number: int, argument: exp.Expr, part: str, aggregates: dict[int, Aggregate]
    ) -> str:
        """The rows are not known, only how many of a group can be among the hits."""
        own = next((i for i, event in enumerate(self.hits.events) if event.part == part), None)
        if part == RANGES:
            own, joined = None, []
            self._add_range_pool(number, argument)
        else:
            joined = self.plan.keys_in.get(part, [])
            self._add_pool(number, argument, self.plan.sheet.parts[part], joined)
        self.work.taken.append(
            Taken(
                f"pool_{number}",
                part == RANGES,
                own if joined else None,
                Taken.cost_of(list(aggregates.values())),
            )
        )
        shares = [f"h.s{i}" for i in range(len(self.hits.events)) if i != own]
        on = "".join(f" AND p.k{k} IS NOT DISTINCT FROM h.k{k}" for k in joined)
        columns = [f"h.k{k} AS k{k}" for k in self.plan.all_keys] + ["h.g AS g"]
        columns += ["p.xl AS xl", "p.xh AS xh", "p.w AS w", "p.before AS before"]
        columns += ["p.total AS total", "p.mass AS mass"]
        columns += ["GREATEST(0, h.lo - p.holes) AS lo", "LEAST(h.hi, p.total) AS hi"]
        pairs = self.hits.pairs(own) if part != RANGES else None
        columns += [f"{' * '.join(shares) or '1.0'} AS p", f"{pairs or UNKNOWN} AS q"]
        self.parts[f"taken_{number}"] = (
            f"SELECT {', '.join(columns)} FROM hits AS h JOIN pool_{number} AS p ON p.g = h.g{on}"
        )
        return self._add_bounds(number, argument, part, aggregates)

    def _add_pool(self, number: int, argument: exp.Expr, part: Part, keys: Sequence[int]) -> None:
        """Every value that can be among the hits, ranked inside its group."""
        x, group = on_table(argument), f"t.{quote(self.plan.sheet.group)}"
        w = "1" if part.weight is None else f"CAST(t.{quote(part.weight)} AS BIGINT)"
        inside = ", ".join(
            [group, *(on_table(self.plan.question.keys[k].expression) for k in keys)]
        )
        rank = f"OVER (PARTITION BY {inside} ORDER BY {x} NULLS LAST ROWS UNBOUNDED PRECEDING)"
        whole = f"OVER (PARTITION BY {inside})"
        holes = "0"
        if self.plan.can_miss(argument):
            holes = f"SUM(CASE WHEN {x} IS NULL THEN {w} ELSE 0 END) {whole}"
        mass = "0.0"
        if self.plan.is_summed(argument):
            mass = f"SUM(CAST({x} AS DOUBLE) * {w}) {whole}"
        columns = [f"{group} AS g", *self.plan.key_columns(keys)]
        columns += [f"{x} AS xl", f"{x} AS xh", f"{w} AS w"]
        columns += [f"SUM({w}) {rank} - {w} AS before"]
        columns += [f"SUM(CASE WHEN {x} IS NULL THEN 0 ELSE {w} END) {whole} AS total"]
        columns += [f"{holes} AS holes", f"{mass} AS mass"]
        self.parts[f"ranked_{number}"] = (
            f"SELECT {', '.join(columns)} FROM {quote(part.table)} AS t{self.plan.where(part)}"
        )
        self.parts[f"pool_{number}"] = f"SELECT * FROM ranked_{number} AS r WHERE r.xl IS NOT NULL"

    def _add_range_pool(self, number: int, argument: exp.Expr) -> None:
        """The values of a group are somewhere in its range."""
        group, table = quote(self.plan.sheet.group), quote(self.plan.sheet.size_table)
        size, listing = size_of(self.plan.sheet), self._listing(argument)
        if self._by_ends(argument) or listing is None:
            ends = enclosure_of(argument, self.plan.sheet)
            if ends is None:
                self._refuse_range(argument, columns_of(argument)[0])
            self.parts[f"enclosed_{number}"] = (
                f"SELECT t.{group} AS g, {ends.low} AS xl, {ends.high} AS xh, {size} AS w, "
                f"CASE WHEN {ends.can_miss} THEN {size} ELSE 0 END AS holes FROM {table} AS t"
            )
            self.parts[f"pool_{number}"] = (
                "SELECT m.g AS g, m.xl AS xl, m.xh AS xh, m.w AS w, 0 AS before, m.w AS total, "
                f"m.holes AS holes, 0.0 AS mass FROM enclosed_{number} AS m WHERE m.xl IS NOT NULL"
            )
            return
        value = with_column(argument, listing.column.name, "m.v")
        self.parts[f"listed_{number}"] = (
            f"SELECT m.g AS g, MIN({value}) AS xl, MAX({value}) AS xh, COUNT(*) AS listed, "
            f"COUNT({value}) AS present FROM ({listing.query()}) AS m GROUP BY 1"
        )
        self.parts[f"pool_{number}"] = (
            f"SELECT m.g AS g, m.xl AS xl, m.xh AS xh, {size} AS w, 0 AS before, "
            f"{size} AS total, CASE WHEN m.present < m.listed THEN {size} ELSE 0 END AS holes, "
            f"0.0 AS mass FROM listed_{number} AS m JOIN {table} AS t ON t.{group} = m.g "
            "WHERE m.present > 0"
        )

    def _further(self, number: int, place: int, argument: exp.Expr, part: str) -> list[str]:
        """Fields of what has a file of its own, in the query `further_<place>`."""
        aggregate, name = self.plan.question.aggregates[place], f"further_{place}"
        if aggregate.function != "DISTINCT":
            return self._quantile(f"taken_{number}", place, argument).write(name)
        keys = [f"k{k}" for k in self.plan.all_keys]
        shown = "".join(f"t.{key} AS {key}, " for key in keys)
        self.parts[f"{name}_valued"] = (
            f"SELECT {shown}t.g AS g, t.xl AS x, SUM(t.w) AS w, MIN(t.total) AS total, "
            f"MIN(t.lo) AS lo, MIN(t.hi) AS hi, MIN(t.p) AS p FROM taken_{number} AS t"
            f"{by(len(keys) + 2)}"
        )
        if part == RANGES:
            self.parts[f"{name}_valued"] = self._valued_ranges(number, argument, shown)
        return write_distinct(self.parts, f"{name}_valued", name, keys)

    def _valued_ranges(self, number: int, argument: exp.Expr, keys: str) -> str:
        """Each of a group's possible values can be everybody's."""
        listing = self._listing(argument)
        if listing is None:
            self._refuse_range(argument, columns_of(argument)[0])
        value = with_column(argument, listing.column.name, "m.v")
        listed = f"SELECT DISTINCT m.g AS g, {value} AS x FROM ({listing.query()}) AS m"
        kinds = (
            f"SELECT d.g AS g, d.x AS x, COUNT(*) OVER (PARTITION BY d.g) AS kinds "
            f"FROM ({listed}) AS d WHERE d.x IS NOT NULL"
        )
        return (
            f"SELECT {keys}t.g AS g, l.x AS x, t.w AS w, t.w * l.kinds AS total, t.lo AS lo, "
            f"t.hi AS hi, t.p / l.kinds AS p FROM taken_{number} AS t JOIN ({kinds}) AS l ON l.g = t.g"
        )

    def _known_quantile(self, place: int, argument: exp.Expr, part: Part) -> list[str]:
        """The rows are known: all of their values are taken."""
        x, name = on_table(argument), f"known_{place}"
        w = "1" if part.weight is None else f"CAST(t.{quote(part.weight)} AS BIGINT)"
        columns = self.plan.key_columns(self.plan.all_keys)
        self.parts[f"{name}_rows"] = (
            f"SELECT {', '.join([*columns, f'{x} AS x', f'{w} AS w'])} FROM {quote(part.table)} AS t"
            f"{self.plan.where(part)}"
        )
        keys = [f"r.k{k}" for k in self.plan.all_keys]
        inside = f"PARTITION BY {', '.join(keys)} " if keys else ""
        shown = "".join(f"{key} AS {key[2:]}, " for key in keys)
        total = f"SUM(r.w) OVER ({inside.strip()})"
        self.parts[name] = (
            f"SELECT {shown}r.x AS xl, r.x AS xh, r.w AS w, SUM(r.w) OVER ({inside}ORDER BY r.x "
            f"ROWS UNBOUNDED PRECEDING) - r.w AS before, {total} AS total, {total} AS lo, "
            f"{total} AS hi, 1.0 AS p FROM {name}_rows AS r WHERE r.x IS NOT NULL"
        )
        return self._quantile(name, place, argument).write(f"further_{place}")

    def _quantile(self, taken: str, place: int, argument: exp.Expr) -> Quantile:
        return Quantile(
            self.parts,
            taken,
            tuple(f"k{k}" for k in self.plan.all_keys),
            self.plan.question.aggregates[place],
            self.plan.kind_of(argument),
            is_single=is_single(self.plan.sheet, argument),
            digits=digits_in_double(self.plan.sheet, argument),
        )

    def _is_certain(self, argument: exp.Expr, part: str) -> bool:
        """Whether the number of values among the hits is known before looking."""
        return (
            part != RANGES
            and not self.plan.can_miss(argument)
            and all(event.is_sharp for event in self.hits.events)
            and len(self.hits.events) == 1
        )

    def _add_bounds(
        self, number: int, argument: exp.Expr, part: str, aggregates: dict[int, Aggregate]
    ) -> str:
        """From the values that can be taken to the fields of every aggregate."""
        keys = [f"k{k}" for k in self.plan.all_keys]
        columns = [f"t.{key} AS {key}" for key in keys] + _basic_sums()
        if self.plan.is_summed(argument):
            columns += _value_sums(Amount.of(self.plan, argument))
        self.parts[f"sums_{number}"] = (
            f"SELECT {', '.join(columns)} FROM taken_{number} AS t{by(len(keys))}"
        )
        shown: list[str] = [f"s.{key} AS {key}" for key in keys]
        sources: dict[str, None] = {}  # two aggregates may need the same one
        for place, aggregate in aggregates.items():
            values, joined = self._fields(number, place, aggregate, argument, part)
            sources |= dict.fromkeys(joined)
            # where no value can be a hit there is no answer
            if aggregate.function not in ("COUNT", "DISTINCT"):
                values = [f"CASE WHEN s.most > 0 THEN {value} END" for value in values]
            shown += [f"{v} AS a{place}_{name}" for name, v in zip(FIELDS, values, strict=True)]
        joins = "".join(self._keyed_join(source) for source in sources)
        self.parts[f"total_{number}"] = f"SELECT {', '.join(shown)} FROM sums_{number} AS s{joins}"
        return f"total_{number}"

    def _fields(
        self, number: int, place: int, aggregate: Aggregate, argument: exp.Expr, part: str
    ) -> tuple[list[str], list[str]]:
        """SQL for the fields of an aggregate, and the queries they need beside the sums."""
        is_distinct = aggregate.function == "DISTINCT"
        if is_distinct and part == RANGES and not self._is_counted(argument):
            return [*DISTINCT_BY_ENDS, UNKNOWN, "1"], []
        if aggregate.function in FURTHER:
            return self._further(number, place, argument, part), [f"further_{place}"]
        match aggregate.function:
            case "COUNT":
                return ["s.expected", "s.sure", "s.most", "s.count_variance", "1"], []
            case "SUM":
                slack = Amount.of(self.plan, argument).sum_slack("s.size")
                bounds = _within_signs(_widened(["s.sum_low", "s.sum_high"], slack), slack)
                return ["s.sum", *bounds, "s.sum_variance", "s.sure"], []
            case "AVG":
                means = [] if self._is_certain(argument, part) else [f"means_{number}"]
                return self._average(number, argument, part), means
        estimate = self._add_extreme(number, place, aggregate.function)
        if aggregate.function == "MIN":
            top = "COALESCE(s.least_top, s.greatest)"
            fields = [f"COALESCE({estimate}.x, {top})", "s.least", top]
        else:
            bottom = "COALESCE(s.greatest_bottom, s.least)"
            fields = [f"COALESCE({estimate}.x, {bottom})", bottom, "s.greatest"]
        return [*fields, UNKNOWN, "s.sure"], [estimate]

    def _keyed_join(self, source: str, to: str = "s") -> str:
        keys = self.plan.all_keys
        on = " AND ".join(f"{source}.k{k} IS NOT DISTINCT FROM {to}.k{k}" for k in keys)
        return f" LEFT JOIN {source} ON {on or 'TRUE'}"

    def _average(self, number: int, argument: exp.Expr, part: str) -> list[str]:
        amount = Amount.of(self.plan, argument)
        estimate = "s.sum / NULLIF(s.expected, 0)"
        if self._is_certain(argument, part):
            bounds = ["CAST(s.must_low AS DOUBLE) / s.sure", "CAST(s.must_high AS DOUBLE) / s.sure"]
            slack = amount.mean_slack("s.size", "s.size / s.sure")
            bounds = _within_signs(_widened(bounds, slack), slack)
            return [estimate, *bounds, "s.sum_variance / (1.0 * s.sure * s.sure)", "s.sure"]
        self._add_means(number, amount)
        low = f"LEAST(CAST(s.must_low AS DOUBLE) / NULLIF(s.sure, 0), means_{number}.low)"
        high = f"GREATEST(CAST(s.must_high AS DOUBLE) / NULLIF(s.sure, 0), means_{number}.high)"
        slack = amount.mean_slack("s.size", "2 * s.largest")
        bounds = _within_signs(_widened([low, high], slack), slack)
        return [estimate, *bounds, UNKNOWN, "s.sure"]

    def _add_means(self, number: int, amount: Amount) -> None:
        """The least and greatest mean: optional values are taken while they pull it."""
        keys = [f"k{k}" for k in self.plan.all_keys]
        partition = f"PARTITION BY {', '.join(f't.{key}' for key in keys)} " if keys else ""
        for name, value, taken, must, order in (
            ("lower", "xl", _low, "must_low", ""),
            ("higher", "xh", _high, "must_high", " DESC"),
        ):
            w = f"({taken('t.hi')} - {taken('t.lo')})"
            running = f"OVER ({partition}ORDER BY t.{value}{order} ROWS UNBOUNDED PRECEDING)"
            extreme = "MIN" if name == "lower" else "MAX"
            self.parts[f"{name}_{number}"] = (
                f"SELECT {''.join(f't.{key} AS {key}, ' for key in keys)}"
                f"SUM({amount.times(f't.{value}', w)}) {running} AS mass, SUM({w}) {running} AS taken "
                f"FROM taken_{number} AS t WHERE {w} > 0"
            )
            on = " AND ".join(f"r.{key} IS NOT DISTINCT FROM s.{key}" for key in keys)
            self.parts[f"{name}_mean_{number}"] = (
                f"SELECT {''.join(f's.{key} AS {key}, ' for key in keys)}"
                f"{extreme}(CAST(s.{must} + r.mass AS DOUBLE) / (s.sure + r.taken)) AS x "
                f"FROM {name}_{number} AS r JOIN sums_{number} AS s ON {on or 'TRUE'}"
                f"{by(len(keys))}"
            )
        on = " AND ".join(f"b.{key} IS NOT DISTINCT FROM a.{key}" for key in keys)
        self.parts[f"means_{number}"] = (
            f"SELECT {''.join(f'a.{key} AS {key}, ' for key in keys)}a.x AS low, b.x AS high "
            f"FROM lower_mean_{number} AS a JOIN higher_mean_{number} AS b ON {on or 'TRUE'}"
        )

    def _add_extreme(self, number: int, place: int, function: str) -> str:
        """The median of the least (or greatest) value over all ways in which rows can belong.

        The chance that the least value is above x falls with every value up to x, by the share of
        its group's remaining values that are hits.
        """
        keys = [f"k{k}" for k in self.plan.all_keys]
        partition = f"PARTITION BY {', '.join(f't.{key}' for key in keys)} " if keys else ""
        is_min, name = function == "MIN", f"extreme_{place}"
        x, direction = ("xl", "") if is_min else ("xh", " DESC")
        near = (
            f"t.{x} <= COALESCE(s.least_top, s.greatest)"
            if is_min
            else f"t.{x} >= COALESCE(s.greatest_bottom, s.least)"
        )
        on = " AND ".join(f"s.{key} IS NOT DISTINCT FROM t.{key}" for key in keys)
        # equal values of a group count together: a database ranks them in any order
        self.parts[f"{name}_valued"] = (
            f"SELECT {''.join(f't.{key} AS {key}, ' for key in keys)}t.g AS g, t.{x} AS x, "
            "SUM(t.w) AS w, MIN(t.before) AS before, MIN(t.total) AS total, MIN(t.p) AS p "
            f"FROM taken_{number} AS t JOIN sums_{number} AS s ON {on or 'TRUE'} "
            f"WHERE t.hi > 0 AND {near}{by(len(keys) + 2)}"
        )
        left = "(t.total - t.before)" if is_min else "(t.before + t.w)"
        hit = f"(t.p * t.total / {left})"
        survives = f"CASE WHEN {hit} >= 0.999999999 THEN -1e9 ELSE t.w * LN(1.0 - {hit}) END"
        self.parts[f"{name}_odds"] = (
            f"SELECT {''.join(f't.{key} AS {key}, ' for key in keys)}t.x AS x, "
            f"SUM({survives}) OVER ({partition}ORDER BY t.x{direction}) AS odds "
            f"FROM {name}_valued AS t"
        )
        self.parts[name] = (
            f"SELECT {''.join(f'o.{key} AS {key}, ' for key in keys)}{function}(o.x) AS x "
            f"FROM {name}_odds AS o WHERE o.odds <= {EVEN_ODDS}{by(len(keys))}"
        )
        return name


_AFTER = "(t.total - t.before - t.w)"


def _low(hits: str) -> str:
    """How many of a row's values are among so many smallest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - t.before))"


def _high(hits: str) -> str:
    """How many of a row's values are among so many largest of its group."""
    return f"GREATEST(0, LEAST(t.w, {hits} - {_AFTER}))"


def _basic_sums() -> list[str]:
    """How many values are hits, and the ends of what they can be."""
    once = "SUM(CASE WHEN t.before = 0 THEN {} ELSE 0 END)"
    top = f"{_AFTER} < t.lo AND t.lo <= {_AFTER} + t.w"
    bottom = "t.before < t.lo AND t.lo <= t.before + t.w"
    return [
        f"{once.format('t.lo')} AS sure",
        f"{once.format('t.hi')} AS most",
        "SUM(t.p * t.w) AS expected",
        "SUM(t.w * (t.p - t.q) + t.w * 1.0 * t.total * (t.q - t.p * t.p)) AS count_variance",
        "MIN(CASE WHEN t.hi > 0 THEN t.xl END) AS least",
        "MAX(CASE WHEN t.hi > 0 THEN t.xh END) AS greatest",
        f"MIN(CASE WHEN {top} THEN t.xh END) AS least_top",
        f"MAX(CASE WHEN {bottom} THEN t.xl END) AS greatest_bottom",
    ]


def _value_sums(amount: Amount) -> list[str]:
    """Least, greatest and expected sums; of what must be taken, and of what may be."""
    x = "((CAST(t.xl AS DOUBLE) + CAST(t.xh AS DOUBLE)) / 2)"
    size = "GREATEST(ABS(CAST(t.xl AS DOUBLE)), ABS(CAST(t.xh AS DOUBLE)))"
    least = f"CASE WHEN t.xl < 0 THEN {_low('t.hi')} ELSE {_low('t.lo')} END"
    most = f"CASE WHEN t.xh > 0 THEN {_high('t.hi')} ELSE {_high('t.lo')} END"
    return [
        f"SUM({amount.times('t.xl', least)}) AS sum_low",
        f"SUM({amount.times('t.xh', most)}) AS sum_high",
        f"SUM({amount.times('t.xl', _low('t.lo'))}) AS must_low",
        f"SUM({amount.times('t.xh', _high('t.lo'))}) AS must_high",
        f"SUM(t.p * t.w * {x}) AS sum",
        f"SUM(t.w * {x} * {x} * (t.p - t.q) + t.w * {x} * t.mass * (t.q - t.p * t.p)) AS sum_variance",
        f"SUM({size} * t.w) AS size",
        f"MAX({size}) AS largest",
    ]


def _widened(bounds: list[str], slack: str | None) -> list[str]:
    if slack is None:
        return bounds
    low, high = bounds
    return [f"({low} - {slack})", f"({high} + {slack})"]


def _within_signs(bounds: list[str], slack: str | None) -> list[str]:
    """Bounds that are not widened past 0: however values of one sign are added, they keep it."""
    if slack is None:
        return bounds
    low, high = bounds
    return [
        f"CASE WHEN s.least >= 0 THEN GREATEST(0.0, {low}) ELSE {low} END",
        f"CASE WHEN s.greatest <= 0 THEN LEAST(0.0, {high}) ELSE {high} END",
    ]


def _plain_aggregate(function: str, x: str, weight: str | None, amount: Amount) -> str:
    if function == "DISTINCT":
        return f"COUNT(DISTINCT {x})"
    if function in ("MIN", "MAX") or (weight is None and function != "AVG"):
        return f"{function}({x})"
    # divided as doubles, also where it is a plain AVG: PostgreSQL's own cuts digits off
    if weight is None:
        return f"CAST(SUM({x}) AS DOUBLE) / NULLIF(COUNT({x}), 0)"
    w = f"CAST(t.{quote(weight)} AS BIGINT)"
    number = f"SUM(CASE WHEN {x} IS NULL THEN 0 ELSE {w} END)"
    if function == "COUNT":
        return f"COALESCE({number}, 0)"
    if function == "SUM":
        return f"SUM({amount.times(x, w)})"
    return f"CAST(SUM({amount.times(x, w)}) AS DOUBLE) / NULLIF({number}, 0)"
