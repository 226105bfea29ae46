"""Ways to build a hierarchy over a column's values: one way, one file, found by itself."""
