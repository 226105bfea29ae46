"""What a release costs and what it risks: one measure, one file."""

from anonagram.utility.guessing import Guesses, row_guesses
from anonagram.utility.inputs import read_groups, read_original, read_release
from anonagram.utility.masked import MaskedMeasures, measure_masked
from anonagram.utility.measures import (
    Measures,
    PerturbedMeasures,
    measure_perturbed,
    measure_published,
    measure_release,
)
from anonagram.utility.ncp import Ncp
from anonagram.utility.posterior import row_posteriors, tuple_posteriors
from anonagram.utility.presence import presence
from anonagram.utility.reconstruction import Reconstruction, reconstruction
from anonagram.utility.rules import KnowledgeKept, knowledge_kept, mine_rules
from anonagram.utility.support import LengthError, SupportError, support_error
from anonagram.utility.workload import RowSets, Workload, WorkloadResult, run_workload

__all__ = [
    "Guesses",
    "KnowledgeKept",
    "LengthError",
    "MaskedMeasures",
    "Measures",
    "Ncp",
    "PerturbedMeasures",
    "Reconstruction",
    "RowSets",
    "SupportError",
    "Workload",
    "WorkloadResult",
    "knowledge_kept",
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
