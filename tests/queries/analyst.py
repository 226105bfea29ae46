"""Questions as an analyst writes them about the admissions of a hospital, and their releases."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonagram.demo import hospital_table
from anonagram.release import GroupedRelease
from tests.queries.releases import released

ROLES = {
    "age": "quasi",
    "sex": {"role": "quasi", "kind": "nominal"},
    "zip": {"role": "quasi", "kind": "nominal"},
    "admitted": "quasi",
    "weight": "plain",
    "disease": "sensitive",
    "days": "sensitive",
}
SIZE = 4
"""The people of a group."""


def admissions(rows: int = 240) -> pl.DataFrame:
    """The made-up hospital with weights and days of stay, both sometimes missing."""
    table = hospital_table(rows).drop("name", "patient")
    random = np.random.default_rng(7)
    weight = np.round(50 + 30 * random.random(rows), 1)
    days = random.integers(1, 20, rows)
    return table.with_columns(
        pl.Series("weight", weight).set(pl.Series(random.random(rows) < 0.02), None),
        pl.Series("days", days).set(pl.Series(random.random(rows) < 0.02), None),
    )


def release_of(shape: str, table: pl.DataFrame) -> GroupedRelease:
    """Neighbours in age stay together, as a partitioner would have it."""
    order = table["age"].arg_sort().to_numpy()
    groups = np.empty(table.height, np.int64)
    groups[order] = np.arange(table.height) // SIZE
    return released(shape, table, ROLES, groups.tolist())


QUESTIONS = [
    # how many
    "SELECT COUNT(*) FROM data",
    "SELECT COUNT(*) FROM data WHERE disease = 'Flu'",
    "SELECT COUNT(*) FROM data WHERE age BETWEEN 30 AND 50 AND sex = 'F'",
    "SELECT COUNT(*) FROM data WHERE disease IN ('Flu', 'Pneumonia') AND age >= 65",
    "SELECT COUNT(*) FROM data WHERE disease LIKE '%cancer%' AND sex = 'M'",
    "SELECT COUNT(*) FROM data WHERE NOT (disease = 'Flu' OR disease = 'Asthma') AND age < 18",
    "SELECT COUNT(*) FROM data WHERE zip IS NULL",
    "SELECT COUNT(zip), COUNT(*) FROM data",
    "SELECT COUNT(*) FROM data WHERE age > 80 OR disease = 'Heart failure'",
    "SELECT COUNT(*) FROM data WHERE UPPER(disease) = 'FLU'",
    # by what
    "SELECT sex, COUNT(*) FROM data GROUP BY sex",
    "SELECT sex, COUNT(*) AS people FROM data WHERE disease = 'Depression' GROUP BY sex ORDER BY people DESC",
    "SELECT disease, COUNT(*) FROM data GROUP BY disease ORDER BY COUNT(*) DESC LIMIT 5",
    "SELECT disease, sex, COUNT(*) FROM data GROUP BY disease, sex",
    "SELECT disease, COUNT(*) AS n FROM data WHERE age > 60 GROUP BY 1 HAVING COUNT(*) > 5 ORDER BY 2 DESC",
    "SELECT age, COUNT(*) FROM data GROUP BY age ORDER BY age",
    "SELECT age // 10 * 10 AS decade, COUNT(*) FROM data GROUP BY decade ORDER BY decade",
    "SELECT FLOOR(age / 10) AS decade, COUNT(*) FROM data GROUP BY 1",
    "SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS stage, "
    "COUNT(*) FROM data GROUP BY stage",
    "SELECT LEFT(zip, 3) AS area, COUNT(*) FROM data GROUP BY area ORDER BY 2 DESC",
    "SELECT zip, COUNT(*) FROM data WHERE zip LIKE '911%' GROUP BY zip",
    "SELECT DISTINCT disease FROM data",
    "SELECT DISTINCT sex, disease FROM data WHERE age > 70",
    # when
    "SELECT COUNT(*) FROM data WHERE admitted >= DATE '2024-03-01' AND admitted < DATE '2024-04-01'",
    "SELECT MONTH(admitted) AS month, COUNT(*) FROM data GROUP BY month ORDER BY month",
    "SELECT EXTRACT(month FROM admitted), COUNT(*) FROM data WHERE disease = 'Flu' GROUP BY 1",
    "SELECT STRFTIME(admitted, '%Y-%m') AS month, COUNT(*) FROM data GROUP BY month",
    "SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) FROM data GROUP BY 1 ORDER BY 1",
    "SELECT QUARTER(admitted), COUNT(*) FROM data GROUP BY QUARTER(admitted)",
    "SELECT DAYOFWEEK(admitted) AS day, COUNT(*) FROM data GROUP BY day",
    "SELECT EXTRACT(dow FROM admitted) AS day, COUNT(*) FROM data GROUP BY day",
    "SELECT WEEK(admitted) AS week, COUNT(*) FROM data WHERE disease = 'Flu' GROUP BY week",
    "SELECT DATE_PART('isodow', admitted) AS day, COUNT(*) FROM data GROUP BY day",
    "SELECT COUNT(*) FROM data WHERE admitted + INTERVAL '3 days' > DATE '2024-06-30'",
    "SELECT COUNT(*) FROM data WHERE admitted > DATE '2024-12-31' - INTERVAL 2 WEEKS",
    "SELECT COUNT(*) FROM data WHERE MONTH(admitted) IN (12, 1, 2)",
    "SELECT YEAR(admitted) AS year, AVG(age) FROM data GROUP BY year",
    "SELECT COUNT(*) FROM data WHERE DAYOFYEAR(admitted) <= 100 AND disease = 'Fracture'",
    # how much
    "SELECT AVG(age) FROM data WHERE disease = 'Diabetes'",
    "SELECT disease, AVG(age) AS mean FROM data GROUP BY disease ORDER BY mean",
    "SELECT sex, AVG(days), MIN(days), MAX(days) FROM data GROUP BY sex",
    "SELECT SUM(days) FROM data WHERE age > 60",
    "SELECT SUM(days * 450) FROM data WHERE sex = 'F'",
    "SELECT AVG(weight) FROM data WHERE sex = 'M' AND disease = 'Diabetes'",
    "SELECT MIN(admitted), MAX(admitted) FROM data WHERE disease = 'Flu'",
    "SELECT MEDIAN(age) FROM data WHERE disease = 'Heart failure'",
    "SELECT sex, MEDIAN(days) FROM data GROUP BY sex",
    "SELECT QUANTILE_CONT(days, 0.9) FROM data WHERE age > 60",
    "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY days) FROM data WHERE sex = 'F'",
    "SELECT QUANTILE_DISC(weight, 0.75) FROM data WHERE disease = 'Diabetes'",
    "SELECT COUNT(DISTINCT disease) FROM data WHERE age < 10",
    "SELECT sex, COUNT(DISTINCT zip) FROM data GROUP BY sex",
    "SELECT COUNT(DISTINCT age) FROM data WHERE disease = 'Migraine'",
    # how many of them
    "SELECT COUNT(*) FILTER (WHERE disease = 'Flu') AS flu, COUNT(*) AS everybody FROM data",
    "SELECT sex, COUNT(*) FILTER (WHERE age >= 65) AS old, COUNT(*) FILTER (WHERE age < 18) AS young "
    "FROM data GROUP BY sex",
    "SELECT sex, AVG(days) FILTER (WHERE disease = 'Pneumonia') FROM data GROUP BY sex",
    "SELECT SUM(CASE WHEN disease = 'Flu' THEN 1 ELSE 0 END) FROM data WHERE sex = 'F'",
    "SELECT sex, SUM(CASE WHEN age >= 65 THEN 1 ELSE 0 END) AS old FROM data GROUP BY sex",
    "SELECT COUNT_IF(disease = 'Flu' AND age > 60) FROM data",
    "SELECT 100.0 * COUNT(*) FILTER (WHERE disease = 'Flu') / COUNT(*) AS share FROM data WHERE age > 30",
    "SELECT sex, SUM(days) / COUNT(*) AS mean FROM data GROUP BY sex",
    "SELECT disease, ROUND(AVG(age), 1) AS mean FROM data GROUP BY disease HAVING COUNT(*) >= 5",
    "SELECT MAX(days) - MIN(days) AS spread FROM data WHERE disease = 'Fracture'",
]  # fmt: skip
