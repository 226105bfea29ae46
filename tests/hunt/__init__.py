"""A second generator, written from the lists of SQL and types alone, that hunts for broken bounds.

Random tables of every type, random methods, random questions; DuckDB on the original tells the
truth, and every world that gives the same release must lie within the bounds as well.

    python -m tests.hunt --minutes 60 --seed 1

It does not share a line with the tests in `tests/queries`, so it does not share their assumptions.
"""
