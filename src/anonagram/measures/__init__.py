"""What a release costs and what it risks: one measure, one file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anonagram.measures.guessing import Guesses, row_guesses
from anonagram.measures.inputs import read_groups, read_original, read_release
from anonagram.measures.masked import MaskedMeasures, measure_masked
from anonagram.measures.measures import (
    Measures,
    OwnMeasures,
    PerturbedMeasures,
    measure,
    measure_perturbed,
    measure_release,
)
from anonagram.measures.ncp import Ncp
from anonagram.measures.posterior import row_posteriors, tuple_posteriors
from anonagram.measures.presence import presence
from anonagram.measures.published import measure_published
from anonagram.measures.reconstruction import Reconstruction, reconstruction
from anonagram.measures.rules import KnowledgeKept, knowledge_kept, mine_rules
from anonagram.measures.support import LengthError, SupportError, support_error

if TYPE_CHECKING:
    from anonagram.measures.workload import RowSets, Workload, WorkloadResult, run_workload

__all__ = [
    "Guesses",
    "KnowledgeKept",
    "LengthError",
    "MaskedMeasures",
    "Measures",
    "Ncp",
    "OwnMeasures",
    "PerturbedMeasures",
    "Reconstruction",
    "RowSets",
    "SupportError",
    "Workload",
    "WorkloadResult",
    "knowledge_kept",
    "measure",
    "measure_masked",
    "measure_perturbed",
    "measure_published",
    "measure_release",
    "mine_rules",
    "presence",
    "read_groups",
    "read_original",
    "read_release",
    "reconstruction",
    "row_guesses",
    "row_posteriors",
    "run_workload",
    "support_error",
    "tuple_posteriors",
]


def __getattr__(name: str) -> Any:
    """Import workloads when they are first used: they bring the databases and the SQL parser along."""
    if name in __all__:
        return getattr(import_module("anonagram.measures.workload"), name)
    raise AttributeError(f"module 'anonagram.measures' has no attribute {name!r}")
