"""How rows become groups: one way, one file."""

from anonagram.partition.buckets import Buckets
from anonagram.partition.deal import Deal
from anonagram.partition.feasibility import require_eligible
from anonagram.partition.ncp_split import NcpSplit
from anonagram.partition.neighbours import Neighbours
from anonagram.partition.partition import Arrangement, Partition
from anonagram.partition.partitioner import Partitioner

__all__ = [
    "Arrangement",
    "Buckets",
    "Deal",
    "NcpSplit",
    "Neighbours",
    "Partition",
    "Partitioner",
    "require_eligible",
]
