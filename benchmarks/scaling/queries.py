"""What a question with bounds costs, beside the plain question on the original in DuckDB.

    python -m benchmarks.scaling.queries [--rows 10000000] [--workload 500000] [--queries 1000]

Both tables are in DuckDB in memory; times are the best of fifteen, in one run. The statement is timed
as `release.query` runs it (hits by DuckDB, sums by a compiled pass) and wholly inside DuckDB.
"""

from __future__ import annotations

import argparse

import duckdb

from anonagram import Anatomy, Generalize, Key, Microdata, Permutation
from anonagram.measures import Workload
from anonagram.measures.workload import answer_workload
from anonagram.queries import Asked, database_with
from benchmarks.census import QUASI, census, census_frame
from benchmarks.scaling.anatomy import best

L = 10
QUESTIONS = {
    "AVG, range": "SELECT AVG(Salary) FROM data WHERE Age BETWEEN 20 AND 40",
    "SUM, two conditions": "SELECT SUM(Salary) FROM data WHERE Age > 30 AND Gender = 1",
    "AVG by key": "SELECT Education, AVG(Salary) FROM data WHERE Age < 50 GROUP BY Education",
    "COUNT, both parts": "SELECT COUNT(*) FROM data WHERE Age < 50 AND Salary > 25",
    "MIN": "SELECT MIN(Salary) FROM data WHERE Age BETWEEN 20 AND 40",
}


def compare(rows: int) -> None:
    frame = census_frame(rows).drop("Occupation")
    roles = dict.fromkeys(QUASI, "quasi") | {"Salary": {"role": "sensitive", "kind": "numeric"}}
    release = Anatomy(L).anonymize(Microdata.read(frame, roles), Key(bytes(32)))
    original = duckdb.connect()
    original.register("incoming", frame.to_arrow())
    original.execute("CREATE TABLE data AS SELECT * FROM incoming").fetchall()
    del frame
    engine = database_with(release)
    print(f"{rows:,} rows, anatomy(l={L}); milliseconds\n")
    print(f"{'':22} {'plain':>8} {'query':>8} {'ratio':>6} {'all in DuckDB':>14} {'ratio':>6}")
    for name, sql in QUESTIONS.items():
        asked = Asked.of(release, sql)
        asked.run(engine)  # sorts the values once, as a database builds an index
        plain = best(lambda sql=sql: original.execute(sql).fetchall(), 15)
        ours = best(lambda sql=sql: Asked.of(release, sql).run(engine), 15)
        inside = best(
            lambda asked=asked: engine.run(asked.statement.text, asked.statement.question.sql), 3
        )
        print(
            f"{name:22} {plain * 1e3:8.1f} {ours * 1e3:8.1f} {ours / plain:6.2f} "
            f"{inside * 1e3:14.1f} {inside / plain:6.1f}",
            flush=True,
        )


def workload(rows: int, queries: int) -> None:
    """Random COUNT queries: by compiled passes over releases, and by DuckDB on the original."""
    microdata = census(rows)
    asked = Workload.draw(microdata, conditions=5, volume=0.1, queries=queries)
    original = duckdb.connect()
    original.register("incoming", microdata.frame().to_arrow())
    original.execute("CREATE TABLE data AS SELECT * FROM incoming").fetchall()
    texts = [asked.sql(number) for number in range(queries)]

    def ask_original() -> None:
        for text in texts:
            original.execute(text).fetchall()

    plain = best(ask_original, 2)
    print(f"\n{queries:,} COUNT queries with 5 conditions, {rows:,} rows; seconds\n")
    print(f"{'the original in DuckDB':24} {plain:7.2f}")
    for method in (Anatomy(L), Permutation(L), Generalize(L)):
        release = method.anonymize(microdata, Key(bytes(32)))
        answer_workload(release, microdata, Workload.draw(microdata, queries=8))  # compile
        ours = best(lambda release=release: answer_workload(release, microdata, asked), 2)
        print(f"{method.call:24} {ours:7.2f}   {ours / plain:.2f} of it", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--workload", type=int, default=500_000)
    parser.add_argument("--queries", type=int, default=1000)
    options = parser.parse_args()
    compare(options.rows)
    workload(options.workload, options.queries)


if __name__ == "__main__":
    main()
