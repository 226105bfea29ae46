"""What every shape of publication must do; a new one is picked up by itself."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from anonagram import Key, Method, Microdata, PrivacyModel, Release
from anonagram.attacks import Aligned, intersect
from anonagram.errors import AnonagramError, InternalError, ReleaseDamaged, SchemaError
from anonagram.measures import (
    RowSets,
    Workload,
    knowledge_kept,
    measure,
    measure_published,
    run_workload,
)
from anonagram.models.model import Finding
from anonagram.models.population import PopulationModel
from anonagram.release import GroupedRelease, PrivateFile
from anonagram.verify import verify
from anonagram.verify.page import page_of
from tests.tables import AWKWARD_SCHEMA, awkward_table

KEY = Key(bytes(range(32)))
# of several methods with one shape, the first by name that takes any column
METHODS = [
    Method.parse(member.example)
    for member in Method.known().values()
    if not getattr(member, "needs_numbers", False)
]
METHOD_OF = {method.shape.shape: method for method in reversed(METHODS)}

# shapes of tests are known as long as those tests are loaded
OWN = {
    name: shape
    for name, shape in Release.known().items()
    if shape.__module__.startswith("anonagram.") and shape.originals == ("data",)
}  # graphs have tests of their own
GROUPED = [name for name, shape in OWN.items() if issubclass(shape, GroupedRelease)]


@pytest.fixture(scope="module", params=sorted(OWN))
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


@dataclass(frozen=True)
class Handed:
    """A release of a shape, and all that verbs need beside it."""

    release: Release
    microdata: Microdata
    folder: Path

    @property
    def person(self) -> dict[str, object]:
        return self.microdata.frame().row(3, named=True)


@pytest.fixture(scope="module")
def handed(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Handed:
    microdata = Microdata.read(awkward_table(), AWKWARD_SCHEMA)
    folder = tmp_path_factory.mktemp(release.shape)
    release.write(folder / "release")
    mapping = METHOD_OF[release.shape].publish(microdata, KEY).mapping
    salt, method = release.manifest.key_salt, release.manifest.method
    PrivateFile(KEY, method, date.today(), mapping, salt).write(folder / "private")
    return Handed(Release.read(folder / "release"), microdata, folder)


VERBS: dict[str, Callable[[Handed], object]] = {
    "query": lambda h: h.release.query("SELECT COUNT(*) FROM data WHERE Count > 0"),
    "load": lambda h: h.release._engine,
    "measure": lambda h: measure(h.release, h.microdata).to_dict(),
    "figures": lambda h: measure_published(h.release)[0],
    "workload": lambda h: run_workload(
        h.release, h.microdata, Workload.draw(h.microdata, conditions=2, queries=5)
    ),
    "workload of people": lambda h: run_workload(
        h.release, h.microdata, RowSets.draw(h.microdata, "COUNT", 0.3, 5, 0)
    ),
    "verify": lambda h: verify(h.release, h.person).summary(),
    "page": lambda h: page_of(h.release),
    "previous": lambda h: intersect(h.microdata, h.release, [h.release]).columns,
    "audit": lambda h: (
        Aligned.read(
            awkward_table(), h.folder / "release", AWKWARD_SCHEMA, private=h.folder / "private"
        ).attributes
    ),
    "rules": lambda h: knowledge_kept(h.release, h.microdata),
    "help table": lambda h: h.release.with_help_tables().tables["help"].rows(),
    "worlds": lambda h: [world.height for world in h.release.worlds(1)],
    "learned": lambda h: h.release.query("SELECT COUNT(*) FROM data", learned=True).rows,
}


def finding_of(handed: Handed, model: PrivacyModel) -> Finding:
    if isinstance(model, PopulationModel):  # its example names a file that nobody has here
        return model.check_with(handed.release, awkward_table())
    return model.compare(handed.release, handed.microdata)


VERBS |= {
    f"check {member.call}": lambda h, member=member: finding_of(
        h, PrivacyModel.parse(member.example)
    )
    for member in PrivacyModel.known().values()
}
CHANCES = {"check gamma_amplification", "check probabilistic_anonymity", "check safe_grouping",
           "check distributional_privacy", "check personalized_privacy"}  # fmt: skip
"""Models of replaced values, of graphs and of subdomains."""
EXACT = {"check withstands_learning", "learned"}
"""What learns from rows that stand as they are."""
NUMBERS = {"check ke_anonymity"}  # the sensitive values of this table are texts
GROUPS = {verb for verb in VERBS if verb.startswith("check")} - CHANCES | {
    "check safe_grouping",
    "check distributional_privacy",
    "check personalized_privacy",
}
REGISTERS = {"check k_map", "check delta_presence"}
"""Models of people who may or may not be in the table: about quasi-identifiers, by groups."""
REFUSED = {
    "anatomized": {"audit"} | CHANCES | NUMBERS,
    "counterfeited": {"audit", "rules", "help table", "workload of people"} | CHANCES | NUMBERS,
    "permuted": {"audit", "rules", "help table", "workload of people"}
    | CHANCES
    | NUMBERS
    | {"check withstands_learning"},
    "generalized": {"audit", "rules", "help table", "workload of people"}
    | CHANCES
    | NUMBERS
    | EXACT,
    "masked": {
        "query",
        "workload",
        "workload of people",
        "previous",
        "rules",
        "help table",
        "worlds",
    }
    | CHANCES
    | NUMBERS
    | EXACT
    | REGISTERS,
    "subdomains": {"audit", "rules", "help table", "previous", "worlds", "learned"}
    | {verb for verb in VERBS if verb.startswith("check")}
    - {"check distributional_privacy", "check personalized_privacy", "check k_anonymity"}
    - REGISTERS,
    "perturbed": {"workload of people", "previous", "help table", "worlds"} | GROUPS | EXACT,
}
"""What each shape of ours cannot; of any other it is only asked that it says so."""


def test_every_verb_answers_or_says_why_not(handed):
    refused: dict[str, AnonagramError] = {}
    for verb, use in VERBS.items():
        try:
            assert use(handed), verb
        except AnonagramError as error:
            refused[verb] = error
    for verb, error in refused.items():
        assert not isinstance(error, InternalError), verb
        assert error.remedy, f"{verb}: {error}"
    assert set(refused) == REFUSED.get(handed.release.shape, set(refused))
