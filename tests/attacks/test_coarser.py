"""A masked release whose columns were made coarser is audited against an original as coarse."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.attacks import Aligned
from anonagram.errors import InputError
from anonagram.sources import files

DRAW = np.random.default_rng(5)
TABLE = pl.DataFrame(
    {
        "person": [i // 2 for i in range(400)],
        "age": DRAW.integers(18, 95, 400),
        "zip": [f"{z:05}" for z in DRAW.integers(2000, 2900, 400)],
        "day": [f"{d % 12 + 1:02}/{d % 28 + 1:02}/2008" for d in range(400)],
        "pay": DRAW.integers(1000, 9000, 400),
    }
)
RULES = {
    "person": "identifier",
    "age": {"role": "quasi", "publish": ["round(to=5)", "clip(high=80)"]},
    "zip": {"role": "quasi", "kind": "nominal", "publish": "mask(keep=3)"},
    "day": {"role": "quasi", "publish": "month"},
    "pay": "quasi",
}


def written(tmp_path, rules):
    TABLE.write_csv(tmp_path / "t.csv")
    data = Microdata.read(tmp_path / "t.csv", rules)
    made = Method.parse("data_swapping(share=0.0)").publish(data, Key(bytes(32)))
    made.write(tmp_path / "masked", tmp_path / "private")
    return tmp_path / "t.csv", tmp_path / "masked", tmp_path / "private"


@pytest.mark.parametrize("schema", [None, RULES])
def test_an_original_is_compared_as_coarse_as_it_was_published(tmp_path, schema):
    original, masked, private = written(tmp_path, RULES)
    pair = Aligned.read(original, masked, schema, private=private)
    # nothing was swapped, so every value is its own image
    for each in pair.attributes:
        assert (each.original.ranks == each.mapped_ranks).all(), each.name
    ages = next(each for each in pair.attributes if each.name == "age")
    assert len(ages.original.counts) <= 15


def test_the_rows_that_were_kept_are_compared(tmp_path):
    rules = RULES | {"person": {"role": "identifier", "rows_per_person": 1}}
    original, masked, private = written(tmp_path, rules)
    with pytest.raises(InputError, match="does not tell by which column"):
        Aligned.read(original, masked, private=private)
    assert Aligned.read(original, masked, rules, private=private).rows == 200


def test_intervals_in_a_long_file_are_read_as_in_a_short_one(tmp_path):
    """In a long one few texts are counted while they are read."""
    rows = 12_000
    ages = (20 + DRAW.integers(0, 50, rows)).tolist()
    original, masked = tmp_path / "original.csv", tmp_path / "masked.csv"
    lines = [f"{i},{age}\n" for i, age in enumerate(ages)]
    original.write_text("id,age\n" + "".join(lines))
    lines = [f'{i},"[{age // 10 * 10}, {age // 10 * 10 + 10})"\n' for i, age in enumerate(ages)]
    masked.write_text("id,age\n" + "".join(lines))
    assert min(path.stat().st_size for path in (original, masked)) > files.BEGINNING
    (age,) = Aligned.read(original, masked, id_column="id").attributes
    assert age.has_sets
