"""Masked tables as careless people make them, beside how often a simple intruder is right.

It shares nothing with the attacks: distances and equal cells of all pairs, and the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS = 400
Values = np.ndarray


@dataclass(frozen=True)
class Masking:
    """A table before and after, with the ids that tell who is who."""

    before: dict[str, list]
    after: dict[str, list]
    order: Values
    """The person of each row afterwards."""


def people(random: np.random.Generator, rows: int = ROWS) -> Values:
    """Correlated numbers, some of which repeat."""
    drawn = random.multivariate_normal(np.zeros(5), 0.4 + 0.6 * np.eye(5), rows)
    drawn[:, 3] = np.round(drawn[:, 3] * 3)
    drawn[:, 4] = np.round(drawn[:, 4])
    return drawn


def permuted(x: Values, random: np.random.Generator) -> Values:
    return np.column_stack([random.permutation(x[:, j]) for j in range(x.shape[1])])


def unmasked(x: Values, random: np.random.Generator) -> Values:
    return x.copy()


def small_noise(x: Values, random: np.random.Generator) -> Values:
    return x + random.normal(scale=0.05, size=x.shape)


def middle_noise(x: Values, random: np.random.Generator) -> Values:
    return x + random.normal(scale=0.3, size=x.shape)


def large_noise(x: Values, random: np.random.Generator) -> Values:
    return x + random.normal(scale=3, size=x.shape)


def one_column_left(x: Values, random: np.random.Generator) -> Values:
    y = permuted(x, random)
    y[:, 0] = x[:, 0]
    return y


def two_columns_hardly_moved(x: Values, random: np.random.Generator) -> Values:
    y = permuted(x, random)
    y[:, :2] = x[:, :2] + random.normal(scale=0.02, size=(len(x), 2))
    return y


def ten_untouched(x: Values, random: np.random.Generator) -> Values:
    y = permuted(x, random)
    y[:10] = x[:10]
    return y


def half_of_the_cells(x: Values, random: np.random.Generator) -> Values:
    return np.where(random.random(x.shape) < 0.5, permuted(x, random), x)


def many_coarse_columns(x: Values, random: np.random.Generator) -> Values:
    """Twelve columns of few values, a tenth of whose cells were swapped."""
    wide = np.round(np.hstack([people(random, len(x)) for _ in range(3)])[:, :12])
    y = np.where(random.random(wide.shape) < 0.1, permuted(wide, random), wide)
    return np.stack([wide, y])


def micro_aggregated(x: Values, random: np.random.Generator) -> Values:
    y = x.copy()
    for j in range(x.shape[1]):
        order = np.argsort(x[:, j])
        for block in np.array_split(order, len(x) // 3):
            y[block, j] = x[block, j].mean()
    return y


def new_people(x: Values, random: np.random.Generator) -> Values:
    return people(random, len(x))


MASKINGS: dict[str, Callable[[Values, np.random.Generator], Values]] = {
    made.__name__: made
    for made in (
        permuted, unmasked, small_noise, middle_noise, large_noise, one_column_left,
        two_columns_hardly_moved, ten_untouched, half_of_the_cells, many_coarse_columns,
        micro_aggregated, new_people,
    )
}  # fmt: skip
SHAPES = ("as it is", "shuffled", "sorted", "rows dropped", "a row moved up", "stars", "intervals")


def make(masking: str, shape: str, seed: int) -> Masking:
    """One masked table."""
    random = np.random.default_rng(seed)
    x = people(random)
    y = MASKINGS[masking](x, random)
    if y.ndim == 3:
        x, y = y
    order = np.arange(len(x))
    if shape == "shuffled":
        order = random.permutation(order)
    elif shape == "sorted":
        order = np.argsort(y[:, 0], kind="stable")
        first = np.argsort(x[:, 0], kind="stable")
        x, y = x[first], y[first]
        order = np.argsort(y[:, 0], kind="stable")
    elif shape == "rows dropped":
        order = np.sort(random.permutation(order)[: len(x) - 60])
    elif shape == "a row moved up":
        order = np.concatenate([order[: len(x) // 3], order[len(x) // 3 + 1 :], [len(x) // 3]])
    after = [[_text(value, shape, random) for value in column] for column in y[order].T]
    names = [f"c{j}" for j in range(x.shape[1])]
    return Masking(
        dict(zip(names, x.T.tolist(), strict=True)), dict(zip(names, after, strict=True)), order
    )


def _text(value: float, shape: str, random: np.random.Generator) -> object:
    if shape == "stars":
        return None if random.random() < 0.15 else float(value)
    if shape == "intervals":
        low = np.floor(value * 5) / 5
        return f"[{low:.1f}, {low + 0.2:.1f})"
    return float(value)


def share_linked(made: Masking) -> tuple[float, float, int]:
    """How often two plain intruders are right who compare all pairs, and those surest of themselves.

    One takes the nearest in values, on all columns and on every two; the other the most equal cells.
    The share of the best, the chance, and how many of the ten surest by equal cells are right.
    """
    x = np.array(list(made.before.values())).T
    y = np.array([[_middle(value) for value in column] for column in made.after.values()]).T
    spread = x.std(axis=0)
    away = np.abs(x[:, None, :] - y[None, :, :]) / spread
    away = np.where(np.isnan(away), 1.0, away)
    own = np.full(len(x), -1)
    own[made.order] = np.arange(len(y))
    scores = [away.sum(axis=2)]
    columns = x.shape[1]
    scores += [away[:, :, [i, j]].sum(axis=2) for i in range(columns) for j in range(i)]
    equal = (x[:, None, :] == y[None, :, :]).sum(axis=2)
    scores.append(-equal.astype(float))
    shares = [_right(score, own).mean() for score in scores]
    gap = np.sort(equal, axis=1)[:, -1] - np.sort(equal, axis=1)[:, -2]
    surest = np.argsort(-(equal.max(axis=1) * 100 + gap), kind="stable")[:10]
    sure = _right(-equal.astype(float), own)[surest].sum()
    return max(shares), 1 / len(y), int(sure)


def _right(score: Values, own: Values) -> Values:
    """Whether the least score is a person's own row's; a part of it where several are least."""
    least = score.min(axis=1, keepdims=True)
    is_least = score <= least + 1e-12
    mine = np.where(own >= 0, is_least[np.arange(len(own)), np.maximum(own, 0)], False)
    return mine / is_least.sum(axis=1)


def _middle(value: object) -> float:
    if value is None:
        return np.nan
    if isinstance(value, str):
        low, high = value.strip("[)").split(",")
        return (float(low) + float(high)) / 2
    return float(value)  # type: ignore[arg-type]
