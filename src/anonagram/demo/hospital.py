"""A made-up hospital: nobody in it exists, but it behaves like the real thing.

Diseases depend on age and sex, neighbouring zip codes on each other, some values are missing.

>>> hospital_table().shape
(3000, 7)
"""

from __future__ import annotations

import numpy as np
import polars as pl

SEED = 2006  # the year Anatomy appeared
ROWS = 3000

HOSPITAL_SCHEMA = """\
[columns]
name = "identifier"
patient = "identifier"
age = "quasi"
sex = "quasi"
zip = { role = "quasi", kind = "nominal", hierarchy = "mask()" }
admitted = { role = "quasi", kind = "date", hierarchy = "dates()" }
disease = "sensitive"
"""

FIRST_F = (
    "Ada Bea Carla Dora Emma Fay Gina Hana Ida Jane Kim Lily Mary Nora Olga Pia Rosa Sara Tess Una"
)
FIRST_M = (
    "Alex Bob Carl Dan Emil Finn Gus Hugo Ivan Jack Karl Leo Max Ned Otto Paul Ron Sam Tom Vic"
)
LAST = (
    "Abbott Baker Castro Dubois Evans Fischer Garcia Hansen Ito Jensen Kowalski Lopez Meyer "
    "Nakamura Okafor Petrov Quinn Rossi Silva Tanaka Usman Varga Weber Xu Young Zimmer"
)
# disease: weight, age at which it is most common, how widely it spreads over ages, share of women
DISEASES = {
    "Asthma": (9, 15, 22, 0.5),
    "Bronchitis": (8, 60, 30, 0.5),
    "Breast cancer": (5, 62, 14, 0.99),
    "Prostate cancer": (4, 70, 10, 0.0),
    "Depression": (8, 35, 18, 0.63),
    "Diabetes": (10, 62, 16, 0.46),
    "Flu": (11, 30, 45, 0.5),
    "Fracture": (9, 25, 40, 0.42),
    "Gastritis": (7, 45, 22, 0.5),
    "Heart failure": (8, 76, 12, 0.47),
    "Hypertension": (9, 64, 15, 0.52),
    "Migraine": (5, 33, 14, 0.75),
    "Pneumonia": (7, 72, 28, 0.47),
}


def hospital_table(rows: int = ROWS) -> pl.DataFrame:
    """The admissions of a made-up hospital, the same every time."""
    random = np.random.default_rng(SEED)
    age = np.clip(random.gamma(5, 10, rows), 0, 97).astype(int)
    is_female = random.random(rows) < 0.52
    first = np.where(
        is_female, random.choice(FIRST_F.split(), rows), random.choice(FIRST_M.split(), rows)
    )
    last = random.choice(LAST.split(), rows)
    district = random.choice(30, rows, p=np.arange(30, 0, -1) / 465)
    day = np.datetime64("2024-01-01") + np.sort(random.integers(0, 366, rows))
    zips = np.array([f"{91100 + 7 * d:05}" for d in range(30)])[district].astype(object)
    zips[random.random(rows) < 0.02] = None
    return pl.DataFrame(
        {
            "name": [f"{a} {b}" for a, b in zip(first, last, strict=True)],
            "patient": random.permutation(rows) + 100_000,
            "age": age,
            "sex": np.where(is_female, "F", "M"),
            "zip": pl.Series(zips.tolist(), dtype=pl.String),
            "admitted": pl.Series(day.astype("datetime64[D]")).cast(pl.Date),
            "disease": _diseases(age, is_female, random),
        }
    )


def _diseases(
    age: np.ndarray[tuple[int], np.dtype[np.int64]],
    is_female: np.ndarray[tuple[int], np.dtype[np.bool_]],
    random: np.random.Generator,
) -> list[str]:
    weight, peak, spread, women = (
        np.array([facts[i] for facts in DISEASES.values()], float) for i in range(4)
    )
    likely = weight * np.exp(-(((age[:, None] - peak) / spread) ** 2) / 2) + 0.05
    likely *= np.where(is_female[:, None], women, 1 - women)
    cumulative = np.cumsum(likely, axis=1)
    drawn = random.random((age.size, 1)) * cumulative[:, -1:]
    names = list(DISEASES)
    return [names[i] for i in (cumulative < drawn).sum(axis=1)]
