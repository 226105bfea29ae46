"""Every attack on every method at comparable strength, beside what the intruder knows without it.

    python -m benchmarks.attacks.run [--rows N] [--tables adult acs hospital] [--calls CALL...]

Adult, ACS and hospital are read from the folder ANONAGRAM_DATA names (or ../shared/data); those that
are absent are left out, and census-like people stand in where all are. l is 4 throughout: a group
alone says a quarter. `random` has no l; its chances are the optimal ones. (k,e) hides amounts, so it
is measured on the tables that have one, k = 4.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import polars as pl

from anonagram import Key, Method, Microdata
from anonagram.attacks import Attack, AttackResults, Target, Verdict
from anonagram.partition import Partitioner
from benchmarks.census import census
from benchmarks.papers.figures import DATA

CALLS = [
    'anatomy(l=4, partition="buckets")',
    'anatomy(l=4, partition="neighbours")',
    'anatomy(l=4, partition="alike")',
    'permutation(l=4, partition="neighbours")',
    'permutation(l=4, partition="buckets")',
    'generalize(l=4, partition="neighbours")',
    'random(p="optimal")',
]
KE = "ke"
"""Stands for (k,e) with the table's own amount and e."""
MARKS = {Verdict.WITHSTANDS: "", Verdict.CANNOT_TELL: " ?", Verdict.DOES_NOT_WITHSTAND: " !"}


@dataclass(frozen=True)
class Real:
    """A real table: its file, quasi-identifiers, sensitive column, and amount for (k,e)."""

    file: str
    quasi: tuple[str, ...]
    sensitive: str
    classes: str = ""
    """Kinds of the sensitive values: a hierarchy's file, or a call that makes one."""
    amount: str = ""
    e: float = 0

    def read(self, rows: int | None, amount: bool = False) -> Microdata:
        """The table with its sensitive column, or with its amount; who has none is left out."""
        chosen = self.amount if amount else self.sensitive
        frame = pl.read_csv(DATA / self.file, infer_schema_length=None).drop_nulls(chosen)
        if amount:  # people who have the amount at all
            frame = frame.filter(pl.col(chosen) > 0)
        frame = frame.select(*self.quasi, chosen)
        frame = frame if rows is None else frame.sample(min(rows, frame.height), seed=1)
        kind = {"role": "sensitive"} if amount else {"role": "sensitive", "kind": "nominal"}
        return Microdata.read(frame, dict.fromkeys(self.quasi, "quasi") | {chosen: kind})


TABLES = {
    "adult": Real(
        "adult/adult_complete.csv",
        ("age", "workclass", "education", "marital-status", "race", "sex", "native-country"),
        "occupation", str(DATA / "adult/hierarchies/adult_hierarchy_occupation.csv"),
        "capital-loss", 100,
    ),
    "acs": Real(
        "acs2019/acs2019.csv", ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"), "INDP_CAT",
        "", "PINCP", 1000,
    ),
    "hospital": Real(
        "hospital/first_encounters.csv",
        ("race", "gender", "age", "admission_type_id", "time_in_hospital", "medical_specialty"),
        "diag_1",
    ),
}  # fmt: skip


def attacks(real: Real | None) -> list[Attack]:
    found = [Attack.parse(member.example) for member in Attack.known().values()]
    changed = {"minimality": Attack.parse("minimality(people=8, tables=60)")}
    if real is not None and real.classes:
        changed["similarity"] = Attack.parse(f"similarity(classes={real.classes!r})")
    return [changed.get(each.call, each) for each in found]


def measure(label: str, data: Microdata, call: str, real: Real | None) -> None:
    """One release: each attack's score, its baseline, and the surest one per cent where it has one."""
    method, begun = Method.parse(call), time.perf_counter()
    release, other = (method.anonymize(data, Key(bytes([n]) * 32)) for n in (1, 2))
    target = Target(release, data, others=(other,) if release.grouped else ())
    results = AttackResults.of(attacks(real), target)
    print(f"\n{label}, {data.rows:,} rows, {call} ({time.perf_counter() - begun:.0f} s)")
    for each in sorted(results, key=lambda found: found.attack.call):
        print(
            f"  {each.attack.call:22} {each.score:7.1%} {each.baseline:7.1%}{MARKS[each.verdict]:2}"
            f"{surest(each)}", flush=True,
        )  # fmt: skip
    print(f"  worst: {results.worst.sentence}")


def surest(result) -> str:
    """The one per cent he is surest of, with the release and without."""
    first = result.figures[0] if isinstance(result.figures, tuple) and result.figures else None
    if not hasattr(first, "learned"):
        return ""
    return f"   surest 1 %: {first.learned.surest:.1%} {first.without.surest:.1%}"


def known(call: str) -> bool:
    """Whether there is such a way to make groups."""
    partition = getattr(Method.parse(call), "partition", None) if "alike" not in call else "alike"
    return partition is None or partition in Partitioner.known()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument(
        "--calls", nargs="+", default=[*CALLS, KE], help="anatomy(l=4, ...), ..., ke"
    )
    chosen = parser.parse_args()
    calls = [call for call in chosen.calls if call != KE and known(call)]
    print("attack, what he scores, what he would score without the release; ! does not withstand")
    there = {name: TABLES[name] for name in chosen.tables if (DATA / TABLES[name].file).exists()}
    for name, real in there.items():
        data = real.read(chosen.rows)
        for call in calls:
            measure(f"{name}: {real.sensitive}", data, call, real)
        if real.amount and KE in chosen.calls:
            amounts = real.read(chosen.rows, amount=True)
            measure(f"{name}: {real.amount}", amounts, f"ke(k=4, e={real.e:g})", None)
    if not there:
        print(f"{DATA} has none of the tables: census-like people stand in")
        data = census(chosen.rows or 10_000)
        for call in calls:
            measure("census-like", data, call, None)


if __name__ == "__main__":
    main()
