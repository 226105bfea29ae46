"""What every shape of publication must do; a new one is picked up by itself."""

from __future__ import annotations

import signal
import subprocess
import sys

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, Release
from anonagram.errors import ReleaseDamaged, SchemaError
from anonagram.release import GroupedRelease
from tests.tables import AWKWARD_SCHEMA, awkward_table

KEY = Key(bytes(range(32)))
# of several methods with one shape, the first by name that takes any column
METHODS = [
    Method.parse(member.example)
    for member in Method.known().values()
    if not getattr(member, "needs_numbers", False)
]
METHOD_OF = {method.shape.shape: method for method in reversed(METHODS)}

GROUPED = [name for name, shape in Release.shapes.items() if issubclass(shape, GroupedRelease)]


@pytest.fixture(scope="module", params=sorted(Release.shapes))
def release(request: pytest.FixtureRequest) -> Release:
    microdata = Microdata.read(awkward_table(), AWKWARD_SCHEMA)
    return METHOD_OF[request.param].anonymize(microdata, KEY)


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_damage_to_any_file_is_noticed_and_named(release, tmp_path, file_format):
    release.write(tmp_path / "release", file_format)
    for path in sorted((tmp_path / "release").iterdir()):
        content = path.read_bytes()
        middle = len(content) // 2
        for damaged in (
            content[:middle],
            content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            b"",
            None,
        ):
            path.unlink() if damaged is None else path.write_bytes(damaged)
            with pytest.raises(ReleaseDamaged, match=path.name.replace(".", r"\.")):
                Release.read(tmp_path / "release")
        path.write_bytes(content)
    assert Release.read(tmp_path / "release").manifest == release.manifest


def test_tables_that_lost_rows_are_noticed(release, tmp_path):
    """Signed anew, as somebody who forges a bundle would: the tables contradict each other."""
    for name, table in release.tables.items():
        tables = {**release.tables, name: table.head(table.height - 1)}
        with pytest.raises(ReleaseDamaged):
            type(release).from_tables(release.manifest, tables)
        renamed = table.rename({table.columns[-1]: "other"})
        with pytest.raises(ReleaseDamaged, match="has the columns"):
            type(release).from_tables(release.manifest, {**release.tables, name: renamed})


def test_kill_in_the_middle_of_writing_leaves_nothing_at_the_place(release, tmp_path):
    script = (
        "import os, signal, sys; from pathlib import Path; from anonagram import *; "
        "from anonagram.release import bundle; from tests.tables import *; "
        "release = Method.parse(sys.argv[1]).anonymize(Microdata.read(awkward_table(), AWKWARD_SCHEMA)); "
        "bundle.digest_of = lambda content: os.kill(os.getpid(), signal.SIGKILL); "
        "release.write(sys.argv[2])"
    )
    target = tmp_path / "release"
    command = [sys.executable, "-c", script, release.manifest.method, str(target)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not target.exists()
    release.write(target)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_layout_avoids_the_names_of_the_data(release):
    own = set(release.manifest.layout.values())
    assert not {name.lower() for name in own} & {name.lower() for name in AWKWARD_SCHEMA}


@pytest.mark.parametrize("release", GROUPED, indirect=True)
def test_extents_are_shares_of_the_domain(release):
    extents = release.extents()
    widths = extents.select(pl.selectors.starts_with("width:"))
    assert widths.width == 5
    assert all(0 <= value <= 1 for row in widths.rows() for value in row)
    assert extents["rows"].sum() == release.manifest.rows.published


def test_unknown_column_gets_a_suggestion(release):
    with pytest.raises(SchemaError, match="did you mean 'weight'"):
        release.values("weigth")
