"""How rows become (k,e)-anonymous groups by their sensitive numbers: one way, one file."""

from anonagram.partition.by_value.close_rows import CloseRows
from anonagram.partition.by_value.max_groups import MaxGroups
from anonagram.partition.by_value.min_max import MinMax
from anonagram.partition.by_value.min_max_exact import MinMaxExact
from anonagram.partition.by_value.min_sum import MinSum
from anonagram.partition.by_value.partitioner import SensitiveNumbers, ValuePartitioner
from anonagram.partition.by_value.random_scan import RandomScan

__all__ = [
    "CloseRows",
    "MaxGroups",
    "MinMax",
    "MinMaxExact",
    "MinSum",
    "RandomScan",
    "SensitiveNumbers",
    "ValuePartitioner",
]
