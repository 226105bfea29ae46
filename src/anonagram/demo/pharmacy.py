"""A made-up pharmacy: who bought what. Nobody in it exists.

>>> tables = pharmacy_tables()
>>> {name: table.shape for name, table in tables.items()}
{'customers': (600, 4), 'products': (240, 4), 'purchases': (1428, 2)}
"""

from __future__ import annotations

import numpy as np
import polars as pl

SEED = 2008  # the year safe groupings appeared
CUSTOMERS, PRODUCTS = 600, 240
PHARMACY_SCHEMA = """\
[left]
customer = "identifier"
age = "quasi"
sex = "quasi"
state = "quasi"

[right]
product = "identifier"
kind = "plain"
prescription = "plain"
price = "plain"

[edges]
customer = "left"
product = "right"
"""
KINDS = ("Allergy", "Birth control", "Cold", "Depression", "Heart", "Infection", "Pain", "Skin")


def pharmacy_tables() -> dict[str, pl.DataFrame]:
    """Customers, products and who bought what, the same every time."""
    random = np.random.default_rng(SEED)
    age = np.clip(random.gamma(6, 8, CUSTOMERS), 16, 95).astype(int)
    is_female = random.random(CUSTOMERS) < 0.55
    customers = pl.DataFrame(
        {
            "customer": [f"C{number:04}" for number in range(CUSTOMERS)],
            "age": age,
            "sex": np.where(is_female, "F", "M"),
            "state": random.choice(["NC", "NJ", "NY", "PA"], CUSTOMERS, p=[0.1, 0.5, 0.3, 0.1]),
        }
    )
    kind = random.integers(0, len(KINDS), PRODUCTS)
    products = pl.DataFrame(
        {
            "product": [f"P{number:03}" for number in range(PRODUCTS)],
            "kind": np.array(KINDS)[kind],
            "prescription": np.where(random.random(PRODUCTS) < 0.45, "yes", "no"),
            "price": np.round(random.gamma(2, 9, PRODUCTS) + 2, 2),
        }
    )
    return {
        "customers": customers,
        "products": products,
        "purchases": _purchases(random, age, is_female, kind),
    }


def _purchases(
    random: np.random.Generator,
    age: np.ndarray[tuple[int], np.dtype[np.int64]],
    is_female: np.ndarray[tuple[int], np.dtype[np.bool_]],
    kind: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> pl.DataFrame:
    """A few products each; older people buy for the heart, some kinds are bought by women only."""
    old = KINDS.index("Heart") == kind
    women = KINDS.index("Birth control") == kind
    bought = []
    for customer, count in enumerate(1 + random.poisson(1.4, CUSTOMERS)):
        likely = np.where(old, age[customer] / 30, 1.0)
        likely = np.where(women & ~is_female[customer], 0.0, likely)
        chosen = random.choice(PRODUCTS, min(count, 8), replace=False, p=likely / likely.sum())
        bought += [(f"C{customer:04}", f"P{product:03}") for product in chosen]
    return pl.DataFrame(bought, schema=["customer", "product"], orient="row")
