"""What a release costs and what it risks: one measure, one file."""

from anonagram.utility.inputs import read_original, read_release
from anonagram.utility.measures import Measures, measure_publication, measure_release
from anonagram.utility.ncp import Ncp
from anonagram.utility.posterior import highest_posteriors, tuple_posteriors
from anonagram.utility.presence import presence
from anonagram.utility.reconstruction import Reconstruction, reconstruction

__all__ = [
    "Measures",
    "Ncp",
    "Reconstruction",
    "highest_posteriors",
    "measure_publication",
    "measure_release",
    "presence",
    "read_original",
    "read_release",
    "reconstruction",
    "tuple_posteriors",
]
