"""Many methods on one table, by the same yardsticks: what each risks, and what is left to analyse."""

from anonagram.comparison.comparing import compare
from anonagram.comparison.comparison import Comparison
from anonagram.comparison.trial import PURPOSES, Bench, Known, Purpose, Skipped, Trial

__all__ = ["PURPOSES", "Bench", "Comparison", "Known", "Purpose", "Skipped", "Trial", "compare"]
