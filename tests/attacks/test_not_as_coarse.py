"""Releases that tell a column more or less coarsely are not compared as if they did not."""

from __future__ import annotations

import pytest

from anonagram import Anatomy, Key, Microdata, intersect
from anonagram.errors import CallError

TABLE = {"age": [31, 45, 52, 60, 64, 70], "ill": ["flu", "cut", "gout"] * 2}
FINE = {"age": "quasi", "ill": "sensitive"}
COARSE = FINE | {"age": {"role": "quasi", "publish": "round(to=20)"}}


@pytest.mark.parametrize(("new", "old"), [(COARSE, FINE), (FINE, COARSE)])
def test_another_coarseness_is_refused(new, old):
    """Seen: 6 of 5,000 people "may be in both" where all were, and 1,459 had one value left."""
    microdata, earlier = (Microdata.read(TABLE, schema) for schema in (new, old))
    one, two = (
        Anatomy(l=2).anonymize(each, Key(bytes([n]) * 32))
        for n, each in enumerate((microdata, earlier))
    )
    with pytest.raises(CallError, match="would come out far too low"):
        intersect(microdata, one, [two])
    assert intersect(microdata, one, [one]).met == 6


def test_masking_that_moves_nothing_says_so_first(anonagram, tmp_path):
    """Seen: rank_swapping(p=0.01) called masked what was the original, row by row."""
    rows = ["a,b", *(f"{n % 3},{n % 2}" for n in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    (tmp_path / "t.toml").write_text('[columns]\na = "quasi"\nb = "quasi"\n')
    words = ["--schema", tmp_path / "t.toml", "--method", "rank_swapping(p=0.01)"]
    done = anonagram("anonymize", tmp_path / "t.csv", *words, "-o", tmp_path / "release")
    assert done.returncode == 0, done.text
    assert done.stdout.startswith("Warning: 60 of 60 rows (100.0 %) are published as they are")
