"""The page and the command make the same of a value that is published coarser."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.errors import InputError
from anonagram.verify import verify_in, view_of
from tests.verify.test_page import asked, same
from tests.verify.watched import opened

ROWS = 400
TABLE = {
    "age": [18 + i * 7 % 80 for i in range(ROWS)],
    "height": [1.4 + i * 13 % 60 / 100 for i in range(ROWS)],
    "zip": [f"{2000 + i * 37 % 400:05}" for i in range(ROWS)],
    "born": [date(1925, 3, 1) + timedelta(days=i * 97) for i in range(ROWS)],
    "seen": [datetime(2024, 1, 1) + timedelta(hours=i * 5) for i in range(ROWS)],
    "job": [["nurse", "judge", "actor", "baker"][i % 4] for i in range(ROWS)],
    "decade": [18 + i * 11 % 60 for i in range(ROWS)],
    "ill": [["flu", "cut", "burn", "gout", "cold"][i % 5] for i in range(ROWS)],
}
RULES = {
    "age": ["round(to=5)", "clip(low=25, high=90)"], "height": "round(to=0.1)",
    "zip": "mask(keep=3)", "born": ["quarter", 'clip(low="1930-01-01")'], "seen": "week",
    "job": "level 1", "decade": "level 1",
}  # fmt: skip
MADE = {
    "job": 'tree({"care": ["nurse", "baker"], "stage": ["actor", "judge"]})',
    "decade": "intervals(width=10)",
}
PEOPLE = {
    "age": ["17", "22", "23", "42.5", "91", "120", "-3"],
    "height": ["1.449", "1.45", "1.55", "2", "0.25"],
    "zip": ["02139", "021", "9", "1234567"],
    "born": ["1925-03-02", "1929-12-31", "1930-01-01", "1999-07-14"],
    "seen": ["2024-01-07 10:00:00", "2024-02-29", "1969-12-31"],
    "job": ["nurse", "stage"],
    "decade": ["33", "[20, 30)"],
}


@pytest.mark.parametrize("call", ["anatomy(l=3)", "rank_swapping(p=20)", "generalize(l=3)"])
def test_page_makes_of_a_fine_value_what_the_command_does(browser, tmp_path, call):
    rules = {
        name: {"role": "quasi", "publish": steps, "hierarchy": MADE.get(name)}
        for name, steps in RULES.items()
    }
    data = Microdata.read(TABLE, {**rules, "ill": "sensitive"})
    Method.parse(call).anonymize(data, Key(bytes(32))).write(tmp_path / "release")
    watched = opened(browser, tmp_path / "release")
    view = view_of(Release.read(tmp_path / "release"))
    found_somebody = 0
    for name, texts in PEOPLE.items():
        for text in texts:
            expected = verify_in(view, {name: text}).to_dict()
            found = asked(watched.page, {name: text})
            assert same(found["candidates"], expected["candidates"]), (name, text)
            assert same(found["beliefs"], expected["beliefs"]), (name, text)
            found_somebody += expected["candidates"]["rows"] > 0
    assert found_somebody > 15
    for name, text in (("decade", "93"), ("age", "old"), ("born", "1999-02-30")):
        with pytest.raises(InputError):
            verify_in(view, {name: text})
        with pytest.raises(Exception, match=r"published coarser|no value of it"):
            asked(watched.page, {name: text})
    watched.close()
