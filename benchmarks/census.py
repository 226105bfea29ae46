"""A seeded table like CENSUS, the 500k American adults of the papers' experiments.

Domain sizes are those of Li et al. 2015, Table 5. Shares are skewed and attributes depend on each
other as in life: education and marital status on age, country on race, occupation on education,
gender and work class, salary on education, age and gender.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonagram import Microdata

DOMAINS = {
    "Age": 78, "Gender": 2, "Education": 17, "Marital": 6, "Race": 9, "Workclass": 10, "Country": 83,
    "Occupation": 50, "Salary": 50,
}  # fmt: skip
QUASI = list(DOMAINS)[:7]
NOMINAL = ("Gender", "Marital", "Race", "Workclass")


def census_frame(rows: int, seed: int = 1) -> pl.DataFrame:
    """The table, every attribute numbered from 0."""
    random = np.random.default_rng(seed)
    age = np.clip(random.gamma(4.2, 9.0, rows), 0, 77.99).astype(np.int32)
    gender = (random.random(rows) < 0.51).astype(np.int32)
    race = _draw(random, [0.72, 0.13, 0.06, 0.04, 0.02, 0.012, 0.008, 0.006, 0.004], rows)
    skill = 0.25 * np.sin(age / 25) + random.normal(0, 1, rows)
    education = _bins(skill, _shares(17, 0.92))
    settled = (age - 30) / 18 + random.normal(0, 1, rows)
    marital = _bins(settled, [0.28, 0.08, 0.44, 0.10, 0.06, 0.04])
    foreign = random.random(rows) > np.where(race == 0, 0.93, np.where(race == 1, 0.9, 0.45))
    country = np.where(foreign, 1 + (race * 9 + random.geometric(0.09, rows)) % 82, 0).astype(
        np.int32
    )
    workclass = _bins(0.5 * skill + random.normal(0, 1, rows), _shares(10, 0.6))
    craft = 0.7 * skill + 0.6 * gender + 0.1 * workclass + random.normal(0, 0.7, rows)
    occupation = _bins(craft, _shares(50, 0.97))
    pay = 0.6 * skill + 0.5 * gender - ((age - 42) / 30) ** 2 + random.normal(0, 0.7, rows)
    salary = _bins(pay, _shares(50, 0.975))
    columns = (age, gender, education, marital, race, workclass, country, occupation, salary)
    return pl.DataFrame(dict(zip(DOMAINS, columns, strict=True)))


def census(rows: int, sensitive: str = "Occupation", quasi: int = 7, seed: int = 1) -> Microdata:
    """OCC-d or SAL-d: the first d attributes and one of the two sensitive ones."""
    schema: dict[str, object] = {}
    for position, name in enumerate(DOMAINS):
        role = "quasi" if position < quasi else "sensitive" if name == sensitive else "drop"
        kind = "nominal" if name in (*NOMINAL, sensitive) else "numeric"
        schema[name] = role if role == "drop" else {"role": role, "kind": kind}
    return Microdata.read(census_frame(rows, seed), schema)


def _shares(count: int, ratio: float) -> NDArray[np.float64]:
    """Shares that fall by a ratio from one value to the next, in a fixed mixed-up order."""
    shares = ratio ** np.arange(count)
    return np.random.default_rng(count).permutation(shares / shares.sum())


def _draw(random: np.random.Generator, shares: list[float], rows: int) -> NDArray[np.int32]:
    return np.searchsorted(np.cumsum(shares)[:-1] / sum(shares), random.random(rows)).astype(
        np.int32
    )


def _bins(
    latent: NDArray[np.float64], shares: NDArray[np.float64] | list[float]
) -> NDArray[np.int32]:
    """The latent values cut into bins of these shares (the cuts are found on a part of them)."""
    cuts = np.quantile(latent[:200_000], np.cumsum(shares)[:-1])
    return np.searchsorted(cuts, latent).astype(np.int32)
