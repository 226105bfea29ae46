"""To add a method, a model, a way to make groups, a hierarchy, an attack, an engine, or a result with
its chart: one file, here or in a package.

Each is put into a folder of its own beside the installed files, in a process of its own, and used
from the command line without a word about it anywhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anonagram import Release

TABLE = "age,town,disease\n" + "".join(
    f"{20 + row},{['Aue', 'Bonn', 'Celle'][row % 3]},{['flu', 'gout', 'cold', 'mumps'][row % 4]}\n"
    for row in range(24)
)
SCHEMA = """
[columns]
age = "quasi"
town = { role = "quasi", hierarchy = "first_letters()" }
disease = "sensitive"
"""
FILES = {
    "anonagram.methods.rotation": '''
"""Values that move on."""
from dataclasses import dataclass
from typing import Annotated
import numpy as np
from anonagram.calls import AtLeast
from anonagram.methods.masking import Columns, MaskingMethod

@dataclass(frozen=True, repr=False)
class Rotation(MaskingMethod, call="rotation", example="rotation(by=1)"):
    """Every value goes to the row that stands some rows further."""

    by: Annotated[int, AtLeast(1)] = 1
    columns: Columns = "quasi"

    def mask(self, chosen, microdata, key):
        return [column.decode(np.roll(column.codes, self.by)) for column in chosen]
''',
    "anonagram.models.no_crowd": '''
"""No group is large."""
from dataclasses import dataclass
from typing import Annotated
import polars as pl
from anonagram.calls import AtLeast
from anonagram.models.model import GroupModel

@dataclass(frozen=True, repr=False)
class NoCrowd(GroupModel, call="no_crowd", example="no_crowd(most=9)"):
    """No group has more than so many rows."""

    most: Annotated[int, AtLeast(1)]
    about_sensitive = False

    def levels(self, release):
        rows = pl.col("rows")
        return release.group_sizes().select(
            "group", pl.lit(None, pl.String).alias("attribute"), "rows",
            rows.cast(pl.Float64).alias("level"), (rows <= self.most).alias("holds"),
        )
''',
    "anonagram.partition.dealt": '''
"""Rows dealt as Deal does."""
from dataclasses import dataclass
from anonagram.partition.deal import Deal

@dataclass(frozen=True, repr=False)
class Dealt(Deal, call="dealt", example="dealt()"):
    """The same under another name."""
''',
    "anonagram.columns.hierarchies.first_letters": '''
"""Texts as their first letters."""
from dataclasses import dataclass
from anonagram.columns.hierarchy import HierarchyRule, value_texts

@dataclass(frozen=True, repr=False)
class FirstLetters(HierarchyRule, call="first_letters", example="first_letters()"):
    """A text becomes its first letter."""

    def labels(self, domain):
        return [[text[:1] for text in value_texts(domain)]]
''',
    "anonagram.attacks.first_row": '''
"""The intruder who takes the first row of the release for hers."""
from dataclasses import dataclass
import numpy as np
from anonagram.attacks import Attack, AttackResult, Target, Verdict

@dataclass(frozen=True, repr=False)
class FirstRow(Attack[int], call="first_row", example="first_row()"):
    """He is seldom right."""

    knows = "nothing"
    needs = ("release",)

    def attempt(self, target):
        scores = np.zeros(target.release.manifest.rows.published)
        return AttackResult(
            attack=self, verdict=Verdict.WITHSTANDS, sentence="He finds nobody.",
            records=np.arange(scores.size), scores=scores, baseline=0, figures=1,
        )
''',
    "anonagram.engines.abacus": '''
"""A database that counts beads."""
from anonagram.engines import Engine

class Abacus(Engine, schemes=("abacus",)):
    """It knows how many there are."""

    dialect = "duckdb"
    place = "a shelf"

    def __init__(self, tables):
        self.rows = tables["quasi"].height

    @classmethod
    def at(cls, address, tables, about=""):
        return cls(tables)

    load = at

    def run(self, statement, question):
        return [(self.rows, self.rows, self.rows, 0.0, 1)]
''',
    "anonagram.present.results.beads": '''
"""How beads are shown, with a chart of their own."""
import altair
from anonagram.present.sections import Document, Section, Table

def document(result):
    """A bar for all of them."""
    values = altair.Data(values=[{"beads": result.beads}])
    chart = altair.Chart(values).mark_bar().encode(x="beads:Q")
    table = Table.of(["beads"], [[result.beads]])
    return Document("Beads", (Section("All", table, chart=lambda: chart),))
''',
}
RUN = """
import sys
from importlib import import_module
for given in sys.argv.pop(1).split(","):
    package, _, folder = given.partition("=")
    import_module(package).__path__.append(folder)
from anonagram.cli import main
main()
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a table, its schema, and a file for each member."""
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    for name, text in FILES.items():
        package, _, file = name.rpartition(".")
        (tmp_path / package).mkdir()
        (tmp_path / package / f"{file}.py").write_text(text)
    return tmp_path


def run(here: Path, *words: str, script: str = RUN) -> subprocess.CompletedProcess[str]:
    packages = ",".join(f"{p}={here / p}" for p in (name.rpartition(".")[0] for name in FILES))
    command = [sys.executable, "-c", script, packages, *words]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)


def anonymize(method: str) -> list[str]:
    words = ["anonymize", "table.csv", "--schema", "schema.toml", "--force", "-o", "out"]
    return [*words, "--method", method]


def test_one_file_is_enough(here):
    done = run(here, *anonymize("rotation(by=2)"))
    assert done.returncode == 0, done.stderr
    done = run(here, *anonymize("anatomy(l=2, partition=dealt)"))
    assert done.returncode == 0, done.stderr
    done = run(here, "check", "out", "--model", "no_crowd(most=1)", "--json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)[0]["model"] == "no_crowd(most=1)"
    done = run(here, "attack", "out")
    assert "first_row (knows nothing): He finds nobody." in done.stdout, done.stderr
    question = ["query", "out", "SELECT COUNT(*) FROM data", "--json"]
    done = run(here, *question, "--engine", "abacus://shelf")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["COUNT(*)"]["estimate"] == 24


SHOW = RUN.replace(
    "from anonagram.cli import main\nmain()",
    """
from anonagram.present import document_of, page
from anonagram.shown.result import Shown

class Beads(Shown):
    shown_by = "beads"
    beads = 7

print(page(document_of(Beads())) + Beads()._repr_html_())
""",
)


def test_a_chart_is_shown_from_the_file_of_its_result(here):
    done = run(here, script=SHOW)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("<svg") == 2  # on a page and in a notebook


def test_what_is_wrong_with_it_is_said_as_of_all_others(here):
    done = run(here, *anonymize("rotation(0)"))
    assert "by must be a whole number of at least 1, not 0" in done.stderr
    assert "did you mean 'rotation'?" in run(here, *anonymize("rotatoin()")).stderr


def installed(here: Path, **modules: str) -> dict[str, str]:
    """The environment in which these modules are installed, each as a package that brings a method."""
    for name, text in modules.items():
        (here / f"{name}.py").write_text(text)
        info = here / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[anonagram.methods]\n{name} = {name}\n")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(here), *sys.path])}


def test_a_method_of_an_installed_package_is_on_the_command_line(here):
    """By its call, and in the list of what there is; a package that is broken is named."""
    taken = FILES["anonagram.methods.rotation"].replace('call="rotation"', 'call="anatomy"')
    env = installed(
        here, turning=FILES["anonagram.methods.rotation"], broken="import nothing", second=taken
    )
    (here / "schema.toml").write_text(SCHEMA.replace(', hierarchy = "first_letters()"', ""))
    command = [sys.executable, "-m", "anonagram"]
    done = subprocess.run(
        [*command, *anonymize("rotation(by=2)")],
        cwd=here, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "'broken' of broken cannot be used: No module named 'nothing'" in done.stderr
    assert "'second' of second cannot be used: The method 'anatomy' of second is not" in done.stderr
    assert Release.read(here / "out").manifest.method == 'rotation(by=2, columns="quasi")'
