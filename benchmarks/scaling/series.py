"""Ten monthly releases of a changing hospital, made from the command line.

    python -m benchmarks.scaling.series [--people 70000] [--months 10] [--m 4] [--alone]

Each month one person of twenty leaves, as many come (a tenth of them were there before), and one of a
hundred gets another diagnosis. Everything is published twice: as a series, each release with the
private file of the one before, and with anatomy(l=m) anew every month. What is left open is counted
here from the published tables and the private mappings, by no code of the package: the intruder knows
everybody's group in every release. Where a diagnosis changed, releases before and after it are laid
over each other apart, as somebody must who cannot know it. Of the releases made anew it is also told
what `--previous` finds, whose intruder knows quasi-identifiers and not which of equal rows is whose.

Last comes who wagers on the rule that needs the fewest counterfeits: nobody is made up while somebody
new with that value stands in a new group. Chance breaks it, so he is wrong too: of how many people he
rules values out, of how many rightly, and of how many it would be if he had ruled out any as many.
Beside him stands who guesses that whoever is in a group with counterfeits has the value of it that most
rows have: new people bring it more often, so its place is filled sooner.

Times are of a processor, with reading, checks and writing. `--alone` leaves anatomy out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from anonagram.release import PrivateFile
from benchmarks.census import census
from benchmarks.learning.tables import TABLES
from benchmarks.papers.figures import DATA

LEAVE, RETURN, CHANGE = 0.05, 0.1, 0.01
WHO = "patient"
Values = frozenset[str | None]


@dataclass
class Hospital:
    """Who is there; people who come are drawn from those of the table who were not there yet."""

    rows: pl.DataFrame
    value: str
    people: int
    random: np.random.Generator

    def months(self, number: int) -> Iterator[pl.DataFrame]:
        """A table for each month."""
        here = np.arange(self.people)
        source = np.arange(self.rows.height)
        values = self.rows[self.value].to_list()
        known = dict(enumerate(values))
        away = np.empty(0, np.int64)
        for month in range(number):
            if month:
                here, away, source = self._moved(here, away, source)
                changed = self.random.choice(here, round(CHANGE * here.size), replace=False)
                for who in changed.tolist():
                    known[who] = values[self.random.integers(len(values))]
            told = [known.setdefault(who, values[source[who]]) for who in here.tolist()]
            yield self.rows[source[here]].with_columns(
                pl.Series(WHO, here), pl.Series(self.value, told, dtype=pl.String)
            )

    def _moved(
        self, here: np.ndarray, away: np.ndarray, source: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Some leave, some return, others are new; who comes after all were there has somebody's row."""
        moving = round(LEAVE * here.size)
        leaving = self.random.choice(here, moving, replace=False)
        returning = self.random.choice(away, min(round(RETURN * moving), away.size), replace=False)
        first = max(int(here.max()), int(away.max(initial=0))) + 1
        new = np.arange(first, first + moving - returning.size)
        made = max(0, int(new[-1]) + 1 - source.size)
        source = np.append(source, self.random.integers(0, self.rows.height, made))
        stay = np.setdiff1d(here, leaving)
        away = np.union1d(np.setdiff1d(away, returning), leaving)
        return np.concatenate([stay, returning, new]), away, source


@dataclass
class Intruder:
    """What is possible for everybody after all releases so far."""

    left: dict[int, list[Values]] = field(default_factory=dict)
    """For each person the sets of values that are left; one for each value she is seen to have had."""

    def see(self, group_of: dict[int, int], values: dict[int, Values]) -> None:
        """Lay one more release over the others."""
        for who, group in group_of.items():
            *before, last = self.left.setdefault(who, [values[group]])
            both = last & values[group]
            self.left[who] = [*before, both] if both else [*before, last, values[group]]

    def counted(self, people: dict[int, int]) -> Counter[int]:
        """How many values the people of a release have left at the least."""
        return Counter(min(map(len, self.left[who])) for who in people)


def published(folder: Path, table: pl.DataFrame, value: str) -> tuple[dict, dict, dict]:
    """From a release and its private mapping: people's groups, groups' values, groups' counterfeits."""
    mapping = PrivateFile.read(folder.with_suffix(".private")).mapping
    group_of = dict(zip(table[WHO].to_list(), mapping["group"].to_list(), strict=True))
    values: dict[int, set] = {}
    for group, each in pl.read_parquet(folder / "sensitive.parquet").select("group", value).rows():
        values.setdefault(group, set()).add(each)
    fakes: dict[int, int] = {}
    if (folder / "real.parquet").exists():
        lines = pl.read_parquet(folder / "real.parquet").filter(~pl.col("real"))
        fakes = dict(lines.select("group", "count").iter_rows())
    return group_of, {g: frozenset(v) for g, v in values.items()}, fakes


@dataclass
class WagersOnTheRule:
    """Who takes it that nobody is made up while somebody new with that value stands in a new group.

    So a counterfeit has none of those values. Where as many are left as there are counterfeits, the
    people beside them have the others; and where all who left a signature were replaced by
    counterfeits, each had one that is left. If that were the rule he would always be right.
    """

    last: dict[int, Values] = field(default_factory=dict)
    """The signatures of the people of the last release."""
    had: dict[int, object] = field(default_factory=dict)
    """What they really had, to score him."""
    signature: dict[int, Values] = field(default_factory=dict)
    """The last one of everybody so far."""
    claims: dict[int, float] = field(default_factory=dict)
    """The part of her values that he takes to be left, of each person of whom he rules one out."""
    right: set[int] = field(default_factory=set)

    def see(self, found: tuple[dict, dict, dict], truth: dict[int, object]) -> None:
        """One more release."""
        group_of, values, fakes = found
        members: dict[int, list[int]] = {}
        for who, group in group_of.items():
            members.setdefault(group, []).append(who)
        is_new = {
            group: all(self.signature.get(who) != values[group] for who in people)
            for group, people in members.items()
        }
        plenty: set = set()
        for group, new in is_new.items():
            if new and not fakes.get(group):
                plenty |= values[group]
        for group, number in fakes.items():
            scarce = values[group] - plenty
            if not is_new[group] and len(scarce) == number:
                for who in members[group]:
                    self._claim(who, values[group] & plenty, values[group], truth[who])
        self._see_who_left(group_of, values, fakes, plenty)
        self.last = {who: values[group] for who, group in group_of.items()}
        self.had, self.signature = truth, self.signature | self.last

    def _see_who_left(self, group_of: dict, values: dict, fakes: dict, plenty: set) -> None:
        made_up: Counter[Values] = Counter()
        for group, number in fakes.items():
            made_up[values[group]] += number
        joined = {values[group] for who, group in group_of.items() if who not in self.signature}
        left: dict[Values, list[int]] = {}
        for who, signature in self.last.items():
            if who not in group_of or values[group_of[who]] != signature:
                left.setdefault(signature, []).append(who)
        for signature, people in left.items():
            if made_up[signature] >= len(people) and signature not in joined:
                for who in people:
                    self._claim(who, signature - plenty, signature, self.had[who])

    def _claim(self, who: int, possible: Values, signature: Values, truth: object) -> None:
        share = len(possible) / len(signature)
        if share < self.claims.get(who, 1):
            self.claims[who] = share
            self.right.discard(who)
            if truth in possible:
                self.right.add(who)

    def counted(self) -> str:
        """Of how many people he rules values out; rightly; and if he had ruled out any as many."""
        return f"{len(self.claims):7,} {len(self.right):6,} {sum(self.claims.values()):9,.0f}"


@dataclass
class GuessesTheFrequent:
    """Who takes everybody beside counterfeits to have the value of her group that most rows have."""

    rows: Counter[object] = field(default_factory=Counter)
    """How often each value was published so far."""

    def see(self, found: tuple[dict, dict, dict], truth: dict[int, object]) -> str:
        """One more release: whom he guesses, in per cent right, in per cent of a blind guess.

        Behind it the same for those of the smallest part of people in their group.
        """
        group_of, values, fakes = found
        self.rows.update(value for each in values.values() for value in each)
        people = Counter(group_of.values())
        scored: dict[tuple[int, int], list[tuple[bool, float]]] = {}
        for who, group in group_of.items():
            if fakes.get(group):
                there = values[group]
                guess = max(sorted(there, key=str), key=lambda value: self.rows[value])
                kind = (people[group], len(there))
                scored.setdefault(kind, []).append((truth[who] == guess, 1 / len(there)))
        if not scored:
            return f"{0:7,}"
        kind = min(scored, key=lambda each: each[0] / each[1])
        everybody, fewest = np.concatenate(list(scored.values())), np.array(scored[kind])
        told = (
            f"{len(each):7,} {each[:, 0].mean():6.1%} {each[:, 1].mean():6.1%}"
            for each in (everybody, fewest)
        )
        return f"{' '.join(told)} ({kind[0]} of {kind[1]})"


def anonymize(words: list[str], folder: Path) -> tuple[dict, float]:
    """The command, and what it took of a processor."""
    command = [sys.executable, "-m", "anonagram", "anonymize", *words, "--no-page", "--json"]
    before = os.times()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode:
        raise SystemExit(done.stderr)
    spent = after.children_user + after.children_system
    return json.loads(done.stdout), spent - before.children_user - before.children_system


def table_of(people: int) -> tuple[pl.DataFrame, list[str], str]:
    """The hospital's table, or a census-like one where it is not there."""
    file, quasi, value = TABLES["hospital"]
    if (DATA / file).exists():
        rows = pl.read_csv(DATA / file, infer_schema=False)
        return rows.select(*quasi, value), quasi, value
    data = census(people + people // 50)
    quasi = [column.name for column in data.with_role("quasi")]
    (value,) = (column.name for column in data.with_role("sensitive"))
    return data.frame().select(*quasi, value).cast(pl.String), quasi, value


def show(people: int, months: int, m: int, alone: bool, folder: Path) -> None:
    rows, quasi, value = table_of(people)
    lines = [f'"{name}" = "quasi"' for name in quasi]
    (folder / "roles.toml").write_text(
        "\n".join(["[columns]", f'{WHO} = "identifier"', f'"{value}" = "sensitive"', *lines, ""])
    )
    hospital = Hospital(rows, value, min(people, rows.height), np.random.default_rng(20))
    series, anew = Intruder(), None if alone else Intruder()
    rule, frequent = WagersOnTheRule(), GuessesTheFrequent()
    print(
        f"{'month':>5} {'people':>7} {'fakes':>6} {'share':>6} {'seconds':>7} {'NCP':>6} {'least':>5} "
        f"{'below m':>7}   anew: seconds, below m, one; groups known: both   "
        "by the rule: people, rightly, by chance; most frequent: people, right, blind, fewest"
    )
    for month, table in enumerate(hospital.months(months), 1):
        table.write_csv(folder / f"{month}.csv")
        told, seconds = anonymize(
            [*words_of(month, f"m_invariance(m={m})", "s"), *(before(month) if month > 1 else [])],
            folder,
        )
        found = published(folder / f"s{month}", table, value)
        truth = dict(table.select(WHO, value).iter_rows())
        series.see(*found[:2])
        rule.see(found, truth)
        counted, fakes = series.counted(found[0]), sum(found[2].values())
        assert fakes == told["series"]["counterfeits"]
        beside = "" if anew is None else made_anew(month, m, anew, table, value, folder)
        print(
            f"{month:5} {table.height:7,} {fakes:6,} {fakes / (table.height + fakes):6.1%} "
            f"{seconds:7.2f} {told['utility']['ncp_per_cell']:6.3f} "
            f"{min(counted):5} {below(counted, m):7,} {beside}   "
            f"{rule.counted()}   {frequent.see(found, truth)}",
            flush=True,
        )


def words_of(month: int, method: str, name: str) -> list[str]:
    """What the command is told to make."""
    release = ["-o", f"{name}{month}", "--private", f"{name}{month}.private"]
    return [f"{month}.csv", "--schema", "roles.toml", "--method", method, *release]


def before(month: int) -> list[str]:
    """The release of the series that this one follows."""
    return ["--previous", f"s{month - 1}", "--previous-private", f"s{month - 1}.private"]


def below(counted: Counter[int], m: int) -> int:
    """How many people have fewer values left."""
    return sum(number for size, number in counted.items() if size < m)


def made_anew(
    month: int, m: int, intruder: Intruder, table: pl.DataFrame, value: str, folder: Path
) -> str:
    """The same month by anatomy: seconds, what `--previous` finds, and what is left by groups."""
    earlier = [word for each in range(1, month) for word in ("--previous", f"a{each}")]
    told, seconds = anonymize([*words_of(month, f"anatomy(l={m})", "a"), *earlier], folder)
    people_of, groups, _ = published(folder / f"a{month}", table, value)
    intruder.see(people_of, groups)
    counted = intruder.counted(people_of)
    met = told["previous"]["columns"][value] if month > 1 else {"below_least": 0, "pinned": 0}
    return (
        f"{seconds:8.2f} {met['below_least']:7,} {met['pinned']:6,} "
        f"{below(counted, m):7,} {counted[1]:6,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=70_000)
    parser.add_argument("--months", type=int, default=10)
    parser.add_argument("--m", type=int, default=4)
    parser.add_argument("--alone", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        show(chosen.people, chosen.months, chosen.m, chosen.alone, Path(folder))


if __name__ == "__main__":
    main()
