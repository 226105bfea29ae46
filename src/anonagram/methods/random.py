"""Random anonymization: in every row some quasi-identifiers are replaced by draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.calls import AtLeast, Fits, require
from anonagram.columns.recoding import inverse
from anonagram.errors import CannotAnonymize
from anonagram.kernels.perturb import choose_by_share, choose_several, replace_codes
from anonagram.key import Key
from anonagram.methods.method import Method
from anonagram.methods.publication import Publication
from anonagram.microdata import Column, Microdata
from anonagram.models import PrivacyModel
from anonagram.models.probabilistic_anonymity import ProbabilisticAnonymity
from anonagram.partition import AnyRows, Division
from anonagram.release import Manifest, PerturbedRelease, Transition
from anonagram.runtime.progress import step
from anonagram.runtime.threads import in_threads
from anonagram.shown.wording import how_many

MOST_ATTRIBUTES = 64
DIGITS = 4
TINY = 1e-12
MOST_REPLACED = 0.25
"""The chance of a quasi-identifier that "balanced" allows: of any two, half of the rows have both as
they were, so that correcting a question about them no more than doubles its spread."""


def _is_distribution(p: list[float]) -> bool:
    return all(0 <= each <= 1 for each in p) and abs(sum(p) - 1) < 1e-9


@dataclass(frozen=True, repr=False)
class Random(Method, call="random", example="random()"):
    """Yang and Qiao (2010): replace one quasi-identifier of every row by a draw from its column.

    Which one is left to chance, and the draw may give the same value again. Rows keep their
    sensitive values, columns their distributions, and most associations stay; nobody knows of a row
    which of its values is not the person's. The chances are published, so that counts can be
    corrected for the replacements.

    >>> from anonagram import Microdata
    >>> table = {"age": [31, 45, 52, 60], "sex": ["f", "m", "f", "m"], "disease": ["a", "b", "a", "c"]}
    >>> roles = {"age": "quasi", "sex": "quasi", "disease": "sensitive"}
    >>> Random(p=[0.5, 0.5]).anonymize(Microdata.read(table, roles)).transition
    Transition(replaced={'age': 0.5, 'sex': 0.5}, attributes=1)
    """

    p: (
        Literal["balanced", "optimal", "uniform"]
        | Annotated[list[float], Fits(_is_distribution, "numbers from 0 that sum to 1")]
    ) = "balanced"
    """The chance of each quasi-identifier: "optimal" (proportional to exp of its entropy, which makes
    probabilistic anonymity highest, but a column with thousands of values is then replaced nearly
    always and nobody can ask about it), "balanced" (highest where none is replaced in more than a
    quarter of the rows, or in more than its share if there are fewer than four), "uniform", or a
    list."""
    attributes: Annotated[int, AtLeast(1)] = 1
    """How many are replaced in each row; more than one are picked uniformly (Algorithm 2)."""
    shape = PerturbedRelease

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attributes > 1 and self.p == "balanced":
            object.__setattr__(self, "p", "uniform")
        require(
            self.attributes == 1 or self.p == "uniform",
            "random: with several attributes each is as likely as the others.",
            f"random(attributes={self.attributes}).",
        )

    def promises(self, microdata: Microdata) -> tuple[PrivacyModel, ...]:
        """The probabilistic anonymity that the chances give."""
        quasi = microdata.with_role("quasi")
        shares = np.array(list(self.transition(quasi).replaced.values()))
        diversity = (shares * [entropy(column.counts_in_table) for column in quasi]).sum()
        if self.attributes == 1:
            diversity += entropy(shares)
        else:
            diversity += np.log(math.comb(len(quasi), self.attributes))
        reached = float(np.floor(np.exp(diversity) * 10**DIGITS) / 10**DIGITS)
        return (ProbabilisticAnonymity(reached),)

    def transition(self, quasi: list[Column]) -> Transition:
        """The chances for a table, in multiples of 2^-32, as they are drawn."""
        names = [column.name for column in quasi]
        if self.attributes > 1 or self.p == "uniform":
            shares = np.full(len(quasi), 1 / len(quasi))
        elif isinstance(self.p, str):
            shares = np.exp([entropy(column.counts_in_table) for column in quasi])
            most = max(MOST_REPLACED, 1 / len(quasi)) if self.p == "balanced" else 1.0
            shares = capped(shares / shares.sum(), most)
        else:
            shares = np.array(self.p, np.float64)
        if self.attributes > 1:
            return Transition(dict.fromkeys(names, self.attributes / len(quasi)), self.attributes)
        widths = np.diff(_ends(shares).astype(np.int64), prepend=0)
        return Transition(dict(zip(names, (widths / 2**32).tolist(), strict=True)), 1)

    def division(self, table: Microdata) -> Division:
        """Any rows: what replaces a value is drawn from the whole table's."""
        self._require_fit(table.with_role("quasi"))
        return AnyRows()

    def rearrange(self, microdata: Microdata, key: Key, manifest: Manifest) -> Publication:
        """Choose attributes, draw their new values, and put the rows into a random order."""
        self.require_roles(microdata, "quasi")
        quasi = microdata.with_role("quasi")
        self._require_fit(quasi)
        transition = self.transition(quasi)
        step("Choosing")
        chosen = self._choose(transition, microdata.rows, key)
        step("Replacing")
        order = key.permutation(f"{self!r}/rows", microdata.rows)
        place = {column.name: number for number, column in enumerate(quasi)}

        def publish(column: Column) -> pl.Series:
            codes = column.codes
            if column.name in place:
                codes = _replaced(column, chosen, place[column.name], key)
            return column.decode(codes[order])

        rows = pl.DataFrame(in_threads(publish, [(column,) for column in microdata.columns]))
        marginals = {column.name: _marginal(column, manifest.layout["count"]) for column in quasi}
        release = PerturbedRelease(replace(manifest, section=transition), rows, marginals)
        return Publication(release, pl.DataFrame({"row_in_rows": inverse(order)}))

    def _require_fit(self, quasi: list[Column]) -> None:
        names = ", ".join(column.name for column in quasi)
        if len(quasi) > MOST_ATTRIBUTES:
            raise CannotAnonymize(
                f"random takes at most {MOST_ATTRIBUTES} quasi-identifiers, not {len(quasi)}.",
                'give some the role "drop".',
            )
        if self.attributes > len(quasi):
            raise CannotAnonymize(
                f"{how_many(self.attributes, 'attribute')} cannot be replaced: there are {len(quasi)} "
                f"({names}).",
                f"attributes = {len(quasi)} is the largest that works.",
            )
        if isinstance(self.p, list) and len(self.p) != len(quasi):
            raise CannotAnonymize(
                f"p has {how_many(len(self.p), 'number')}; there are {len(quasi)} quasi-identifiers "
                f"({names}).",
                "give one for each, in the schema's order.",
            )

    def _choose(self, transition: Transition, rows: int, key: Key) -> NDArray[np.uint64]:
        """For each row the attributes to replace, one bit each."""
        chosen = np.empty(rows, np.uint64)
        if self.attributes == 1:
            ends = np.cumsum([round(p * 2**32) for p in transition.replaced.values()])
            choose_by_share(key.words("random/choose", rows), ends.astype(np.uint64), chosen)
            return chosen
        total = len(transition.replaced)
        _with_words(
            key, "random/choose", rows * self.attributes,
            lambda words: choose_several(words, total, self.attributes, chosen),
        )  # fmt: skip
        return chosen


def entropy(counts: NDArray[Any]) -> float:
    """The entropy of a distribution with these counts or shares, in nats."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def capped(shares: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """The shares in their proportions, but none above `most`; what is cut goes to the others.

    Of all chances below `most` these have the highest probabilistic anonymity: Σ p (H - ln p) has the
    same slope in every p that is not cut.

    >>> capped(np.array([0.9, 0.06, 0.04]), 0.5)
    array([0.5, 0.3, 0.2])
    """
    cut = np.zeros(shares.size, np.bool_)
    result = shares
    while (result > most * (1 + TINY)).any():
        cut |= result > most
        left = 1 - most * cut.sum()
        result = np.where(cut, most, shares * left / shares[~cut].sum())
    return result


def _ends(shares: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Where each attribute's part of the words ends; the last one's at 2^32."""
    ends = np.round(np.cumsum(shares) * 2**32)
    ends[-1] = 2**32
    return ends.astype(np.uint64)


def _replaced(
    column: Column, chosen: NDArray[np.uint64], place: int, key: Key
) -> NDArray[np.int32]:
    result = np.empty_like(column.codes)
    pool = column.codes
    if column.table_counts is not None:  # the codes of all rows of the table
        pool = np.repeat(np.arange(column.cardinality, dtype=np.int32), column.table_counts)
    needed = int(np.count_nonzero(chosen >> np.uint64(place) & np.uint64(1)))
    _with_words(
        key, f"random/replace/{column.name}", needed,
        lambda words: replace_codes(column.codes, pool, chosen, place, words, result),
    )  # fmt: skip
    return result


def _with_words(key: Key, purpose: str, needed: int, work: Callable[[Any], int]) -> None:
    """Do work that eats words; where rejections eat them up, the same stream is taken longer."""
    spare = 64 + needed // 64
    while work(key.words(purpose, needed + spare)) < 0:
        spare *= 2


def _marginal(column: Column, count: str) -> pl.DataFrame:
    counts = column.counts_in_table
    codes = np.flatnonzero(counts).astype(np.int32)
    return pl.DataFrame({column.name: column.decode(codes), count: counts[codes]})
