"""Which associations between quasi-identifiers and sensitive values a release lets one find again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from anonagram.errors import CallError, MissingExtra
from anonagram.microdata import Microdata
from anonagram.release import Release
from anonagram.runtime.progress import step
from anonagram.shown.result import Shown

Item = tuple[str, str]
"""A column and its value as a text after a colon; nothing after it where the value is missing."""
Rule = tuple[frozenset[Item], Item]
"""What implies, and which sensitive value is implied."""


@dataclass(frozen=True)
class RulesOfLength:
    """Rules with so many quasi-identifiers."""

    length: int
    original: int
    """Found in the original."""
    recovered: int
    """Found in both."""
    artificial: int
    """Found in the release only."""


@dataclass(frozen=True)
class KnowledgeKept(Shown):
    """The rules of a release beside those of its original."""

    shown_by = "rules"

    method: str
    support: float
    confidence: float
    lengths: tuple[RulesOfLength, ...]

    @property
    def share(self) -> float | None:
        """The share of the original's rules that are found again."""
        original = sum(each.original for each in self.lengths)
        return sum(each.recovered for each in self.lengths) / original if original else None

    @property
    def finding(self) -> str:
        """How many are found again, since all of one rule is no more than one."""
        original = sum(each.original for each in self.lengths)
        recovered = sum(each.recovered for each in self.lengths)
        rules = "rule is" if original == 1 else "rules are"
        return f"{recovered:,} of the original's {original:,} {rules} found again ({self.share or 0:.0%})"

    def to_dict(self) -> dict[str, Any]:
        """What `anonagram rules --json` prints."""
        return super().to_dict() | {"share": self.share}


def knowledge_kept(
    release: Release, microdata: Microdata, support: float = 0.08, confidence: float = 0.15
) -> KnowledgeKept:
    """Mine original and release with the same thresholds (Yang and Qiao 2010, section 7.3)."""
    for name, value in (("support", support), ("confidence", confidence)):
        if not 0 < value <= 1:
            raise CallError(f"The {name} {value:g} is not above 0 and at most 1.", "0.1")
    if not microdata.with_role("sensitive"):
        raise CallError("Rules imply a sensitive value; no column is sensitive.")
    quasi, sensitive = (release.manifest.named(role) for role in ("quasi", "sensitive"))
    step("Mining the original")
    before = mine_rules(microdata.frame(), quasi, sensitive, support, confidence)
    step("Mining the release")
    after = mine_rules(_rows_of(release), quasi, sensitive, support, confidence)
    sizes = {
        name: Counter(len(antecedent) for antecedent, _ in rules)
        for name, rules in (("both", before & after), ("original", before), ("new", after - before))
    }
    longest = max([0, *sizes["original"], *sizes["new"]])
    lengths = tuple(
        RulesOfLength(n, sizes["original"][n], sizes["both"][n], sizes["new"][n])
        for n in range(1, longest + 1)
    )
    return KnowledgeKept(release.manifest.method, support, confidence, lengths)


def mine_rules(
    table: pl.DataFrame, quasi: list[str], sensitive: list[str], support: float, confidence: float
) -> set[Rule]:
    """Rules from values of quasi-identifiers to one sensitive value.

    Mined by efficient-apriori: it needs no other package, and at the paper's thresholds takes less
    than a second on Adult.
    """
    try:
        from efficient_apriori import itemsets_from_transactions
    except ImportError as error:
        raise MissingExtra("efficient-apriori", "rules") from error
    names = [*quasi, *sensitive]
    texts = table.select(
        (pl.lit(":") + pl.col(name).cast(pl.String)).fill_null("").alias(name) for name in names
    )
    transactions = [tuple(zip(names, row, strict=True)) for row in texts.rows()]
    implied = {(name, text) for name in sensitive for text in texts[name].unique().to_list()}
    frequent, _ = itemsets_from_transactions(
        transactions, min_support=support, max_length=len(names)
    )
    counts = {frozenset(items): n for sets in frequent.values() for items, n in sets.items()}
    rules: set[Rule] = set()
    for itemset, count in counts.items():
        consequents = itemset & implied
        antecedent = itemset - implied
        if len(consequents) == 1 and antecedent and count / counts[antecedent] >= confidence:
            rules.add((antecedent, next(iter(consequents))))
    return rules


def _rows_of(release: Release) -> pl.DataFrame:
    """The release as rows: as published, or every pair of a row and a value in its group.

    The groups of Anatomy are of like size, so that every pair may count the same.
    """
    if release.replaced is not None:
        return release.replaced.rows
    sensitive = release.manifest.named("sensitive")
    is_told = release.has_exact_rows and release.subdomains is None
    if not is_told or len(sensitive) != 1:
        raise CallError(
            f"A {release.shape} release has no rows with quasi-identifiers and sensitive values "
            "that could be mined together.",
            "a release made by random(…), or by anatomy(…) with one sensitive column.",
        )
    sheet, quasi = release.sheet, release.manifest.named("quasi")
    rows = sheet.tables[sheet.parts[sheet.part_of([*quasi, *sensitive][0])].table]
    counted = sheet.parts[sheet.part_of(sensitive[0])]
    value = pl.col(sensitive[0])
    if counted.weight is not None:
        value = value.repeat_by(counted.weight).explode()
    values = sheet.tables[counted.table].group_by(sheet.group).agg(value)
    return rows.select(sheet.group, *quasi).join(values, on=sheet.group).explode(sensitive[0])
