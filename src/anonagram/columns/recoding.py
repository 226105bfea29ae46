"""Other codes for the same values: in another order, in a longer one, in another domain.

Everywhere the code behind the last value stands for a missing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram.columns.ranks import Codes


def inverse(order: Codes) -> Codes:
    """The position of each entry in an order.

    >>> inverse(np.array([2, 0, 1], np.int32)).tolist()
    [1, 2, 0]
    """
    position = np.empty(order.size, np.int32)
    position[order] = np.arange(order.size, dtype=np.int32)
    return position


def at_codes(values: pl.Series, codes: NDArray[Any]) -> pl.Series:
    """What codes stand for.

    >>> at_codes(pl.Series(["a", "b"]), np.array([1, 0, 1], np.int32)).to_list()
    ['b', 'a', 'b']
    """
    # none is below 0; as numbers that cannot be, Polars need not make them such and look
    return values.gather(pl.Series(np.asarray(codes, np.int32).view(np.uint32)))


def reordered(codes: Codes, order: Codes) -> Codes:
    """Codes after the values of their domain were put into an order.

    >>> reordered(np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)).tolist()  # 2 is missing
    [1, 0, 2]
    """
    return np.append(inverse(order), np.int32(order.size))[codes]


def at_positions(codes: Codes, texts: Sequence[str], order: Sequence[str]) -> Codes:
    """Codes of texts as positions in an order that has all of them, and perhaps more.

    >>> at_positions(np.array([0, 1, 2], np.int32), ["a", "c"], ["c", "b", "a"]).tolist()
    [2, 0, 3]
    """
    place = {text: position for position, text in enumerate(order)}
    return np.array([*(place[text] for text in texts), len(order)], np.int32)[codes]


def label_ranks(labels: pl.Series, order: Sequence[str]) -> pl.Series:
    """The positions of labels in an order that has all of them; of a missing one, none.

    >>> label_ranks(pl.Series(["mild", None, "severe"]), ["none", "mild", "severe"]).to_list()
    [1, None, 2]
    >>> label_ranks(pl.Series([None]), []).dtype
    Int64
    """
    if labels.null_count() == len(
        labels
    ):  # a column without any value may have no order and no type
        return pl.Series(labels.name, [None] * len(labels), pl.Int64)
    ranks = pl.int_range(len(order), eager=True)
    return labels.replace_strict(list(order), ranks, return_dtype=pl.Int64)


def codes_among(domain: pl.Series, values: pl.Series, unknown: int) -> Codes:
    """The codes of values in a domain of their type, and what stands for those it does not have.

    >>> codes_among(pl.Series([3, 5]), pl.Series([5, 4, None]), -1).tolist()
    [1, -1, 2]
    """
    known = pl.DataFrame({"value": domain, "code": np.arange(len(domain), dtype=np.int32)})
    asked = pl.DataFrame({"value": values})
    found = asked.join(known, on="value", how="left", maintain_order="left")["code"]
    return found.fill_null(unknown).set(values.is_null(), len(domain)).to_numpy()
