"""How rows become groups: one way, one file."""

from anonagram.partition.anatomy_buckets import anatomy_buckets
from anonagram.partition.feasibility import require_eligible
from anonagram.partition.partition import Arrangement, Partition

__all__ = ["Arrangement", "Partition", "anatomy_buckets", "require_eligible"]
