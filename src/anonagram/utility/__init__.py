"""What a release costs and what it risks: one measure, one file."""

from anonagram.utility.inputs import read_groups, read_original, read_release
from anonagram.utility.measures import Measures, measure_published, measure_release
from anonagram.utility.ncp import Ncp
from anonagram.utility.posterior import row_posteriors, tuple_posteriors
from anonagram.utility.presence import presence
from anonagram.utility.reconstruction import Reconstruction, reconstruction
from anonagram.utility.workload import RowSets, Workload, WorkloadResult, run_workload

__all__ = [
    "Measures",
    "Ncp",
    "Reconstruction",
    "RowSets",
    "Workload",
    "WorkloadResult",
    "measure_published",
    "measure_release",
    "presence",
    "read_groups",
    "read_original",
    "read_release",
    "reconstruction",
    "row_posteriors",
    "run_workload",
    "tuple_posteriors",
]
