"""How rows become groups: one way, one file."""

from anonagram.partition.blocks import any_rows, content_digest, neighbourhoods, value_runs
from anonagram.partition.buckets import Buckets
from anonagram.partition.by_value import (
    CloseRows,
    MaxGroups,
    MinMax,
    MinMaxExact,
    MinSum,
    RandomScan,
)
from anonagram.partition.deal import Deal
from anonagram.partition.ncp_split import NcpSplit
from anonagram.partition.neighbours import Neighbours
from anonagram.partition.partition import Arrangement, Partition
from anonagram.partition.partitioner import GroupsFor, Partitioner
from anonagram.partition.requirements import (
    Closeness,
    Conjunction,
    Diversity,
    Requirement,
    Size,
    Spread,
)

__all__ = [
    "Arrangement",
    "Buckets",
    "CloseRows",
    "Closeness",
    "Conjunction",
    "Deal",
    "Diversity",
    "GroupsFor",
    "MaxGroups",
    "MinMax",
    "MinMaxExact",
    "MinSum",
    "NcpSplit",
    "Neighbours",
    "Partition",
    "Partitioner",
    "RandomScan",
    "Requirement",
    "Size",
    "Spread",
    "any_rows",
    "content_digest",
    "neighbourhoods",
    "value_runs",
]
