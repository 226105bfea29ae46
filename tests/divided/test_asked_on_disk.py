"""A release in parts is asked where it lies, and says what it says when it is loaded."""

from __future__ import annotations

import pytest

from anonagram import Method, Release
from anonagram.divided import publish
from anonagram.divided.on_disk import RowsOnDisk
from anonagram.errors import CallError, ReleaseDamaged, UnsupportedQuery
from tests.divided.tables import ASKED, BLOCK, KEY, ROLES, table_for

QUESTIONS = [
    "SELECT COUNT(*) FROM data",
    "SELECT AVG(age) FROM data WHERE age BETWEEN 30 AND 60",
    "SELECT COUNT(*) FROM data WHERE age > 60 AND disease IS NOT NULL",
    "SELECT sex, COUNT(*), SUM(age) FROM data WHERE zip < '91110' GROUP BY sex ORDER BY sex",
    "SELECT COUNT(*) FROM data WHERE age IS NULL OR sex = 'F'",
    "SELECT MIN(age), MAX(age) FROM data WHERE sex = 'F'",
]


@pytest.fixture(scope="module", params=ASKED)
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("asked")
    method = Method.parse(request.param)
    table_for(method).write_parquet(place / "table.parquet")
    rows = RowsOnDisk.at(place / "table.parquet", 4 << 30)
    publish(rows, ROLES, method, KEY, place / "release", block=BLOCK)
    return place / "release"


def answered(ask, sql: str) -> list:
    """Answers to nine digits: sums of fractions depend on the order in which they are added."""
    try:
        return [
            {name: rounded(value) for name, value in row.items()} for row in ask(sql).to_dicts()
        ]
    except UnsupportedQuery as error:
        return [str(error)]


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


@pytest.mark.parametrize("sql", QUESTIONS)
def test_answers_are_those_of_the_loaded_release(folder, sql):
    assert answered(Release.open(folder).query, sql) == answered(Release.read(folder).query, sql)


def test_files_that_were_changed_are_not_asked(folder, tmp_path):
    import shutil

    copy = shutil.copytree(folder, tmp_path / "copy")
    path = next(iter(Release.open(copy).tables.values())).paths[0]
    content = path.read_bytes()
    path.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    with pytest.raises(ReleaseDamaged, match=path.name):
        Release.open(copy).query(QUESTIONS[0])


def test_what_groups_tell_must_leave_room(folder):
    opened = Release.open(folder)
    if opened.shape.shape == "generalized":
        with pytest.raises(CallError, match="looked at as a whole"):
            opened.query(QUESTIONS[1], memory=1000)
        listed = "SELECT zip, COUNT(*), COUNT(DISTINCT sex) FROM data WHERE disease <> 'Flu' GROUP BY zip"
        assert answered(opened.query, listed) == answered(Release.read(folder).query, listed)


def test_the_command_line_asks_it(folder, anonagram):
    done = anonagram("query", folder, "SELECT COUNT(*) FROM data", "--memory", "1GiB", "--json")
    assert done.returncode == 0
    assert "600" in done.stdout
