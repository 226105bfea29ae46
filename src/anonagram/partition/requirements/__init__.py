"""What every group must fulfil: one requirement, one file."""

from anonagram.partition.requirements.closeness import Closeness
from anonagram.partition.requirements.conjunction import Conjunction
from anonagram.partition.requirements.diversity import Diversity
from anonagram.partition.requirements.requirement import Requirement
from anonagram.partition.requirements.size import Size
from anonagram.partition.requirements.spread import Spread

__all__ = ["Closeness", "Conjunction", "Diversity", "Requirement", "Size", "Spread"]
