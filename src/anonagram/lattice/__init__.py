"""Full-domain generalization: the levels of every column, their lattice, and its best node."""

from anonagram.lattice.choice import Choice, Neighbour
from anonagram.lattice.costs import COSTS, Cost
from anonagram.lattice.goal import Test, goal_of
from anonagram.lattice.ladder import Ladder, escaped, ladders_of
from anonagram.lattice.lattice import Explored, Lattice, Node

__all__ = [
    "COSTS",
    "Choice",
    "Cost",
    "Explored",
    "Ladder",
    "Lattice",
    "Neighbour",
    "Node",
    "Test",
    "escaped",
    "goal_of",
    "ladders_of",
]
