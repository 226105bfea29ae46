"""Benchmarks run: on tiny tables here, so that none of them rots."""

from __future__ import annotations

import re
import runpy
import sys

import pytest

from tests.conftest import ROOT
from tests.divided.tables import require_spark

COMMANDS = {
    "learning.estimates": ["--rows", "1500", "--cells", "20", "--tables", "adult"],
    "learning.intervals": [
        "--rows",
        "1500",
        "--cells",
        "20",
        "--keys",
        "1",
        "--tables",
        "adult_test",
        "--l",
        "2",
        "3",
        "4",
    ],
    "learning.training": ["--rows", "1500", "--tables", "adult"],
    "learning.withstand": ["--rows", "1500", "--tables", "adult", "--l", "4"],
    "scaling.anatomy": ["--rows", "2000", "4000"],
    "attacks.run": ["--rows", "400"],
    "scaling.attacks": ["--rows", "2000"],
    "scaling.distributional": [
        "--rows",
        "2000",
        "3000",
        "4000",
        "--groups",
        "10",
        "--fakes",
        "100",
    ],
    "scaling.generalization": ["--rows", "2000", "--different", "500", "--times", "1"],
    "scaling.graphs": ["--scale", "0.01", "0.02", "--size", "3"],
    "scaling.intersection": ["--rows", "2000", "--keys", "2"],
    "scaling.ke": ["--rows", "2000", "4000"],
    "scaling.linkage": ["--rows", "1000", "2000"],
    "scaling.masking": ["--rows", "1000", "2000"],
    "scaling.permutation": ["--rows", "2000", "4000"],
    "scaling.random": ["--rows", "1000", "2000", "3000", "4000"],
    "scaling.series": ["--people", "400", "--months", "3", "--m", "3"],
    "scaling.queries": ["--rows", "3000", "--workload", "2000", "--queries", "10"],
    "scaling.spark": ["--rows", "3000", "--master", "local[2]"],
    "scaling.whole_way": ["--rows", "3000", "--times", "1"],
    "papers.2007_zhang_distributional.run": ["--rows", "300", "--queries", "2", "--groups", "8"],
    "papers.2007_zhang_ke.run": ["--rows", "300", "--queries", "3"],
    "papers.2008_cormode_graphs.run": ["--edges", "4000"],
    "papers.2010_yang_random.run": ["--rows", "1500", "--queries", "4", "--keys", "3"],
    "papers.2015_li_permutation.run": ["--rows", "1500", "--queries", "5", "--keys", "1"],
    "papers.2016_domingo_permutation.run": ["--rows", "200", "--keys", "2"],
}


def test_every_benchmark_is_run_here():
    scripts = [
        ".".join(path.relative_to(ROOT / "benchmarks").with_suffix("").parts)
        for path in (ROOT / "benchmarks").rglob("*.py")
        if "def main()" in path.read_text(encoding="utf-8")
    ]
    assert sorted(scripts) == sorted(COMMANDS)


@pytest.fixture
def _without_real_tables(tmp_path, monkeypatch):
    """They are large; benchmarks leave them out where the folder that they look into is absent."""
    monkeypatch.setenv("ANONAGRAM_DATA", str(tmp_path / "none"))
    for name in [name for name in sys.modules if name.startswith("benchmarks.")]:
        monkeypatch.delitem(sys.modules, name)  # it is looked up when they are imported


# Spark warns of a pandas that is newer than it knows, and leaves sockets to the end of the process
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
@pytest.mark.usefixtures("_without_real_tables")
@pytest.mark.parametrize("name", COMMANDS)
def test_benchmark_runs_and_prints_figures(name, monkeypatch, capsys):
    """In this process, where kernels are loaded already."""
    if name == "scaling.spark":
        require_spark()
        monkeypatch.setenv("PYTHONPATH", str(ROOT))  # it sets it for executors; unset afterwards
    monkeypatch.setattr(sys, "argv", [name, *COMMANDS[name]])
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
    assert len(re.findall(r"\d+\.\d+", capsys.readouterr().out)) > 10
