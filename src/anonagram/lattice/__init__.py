"""One recoding for each column: levels and their lattice, or cuts and their sets, and the best."""

from anonagram.lattice.choice import Choice, Neighbour
from anonagram.lattice.costs import COSTS, Cost
from anonagram.lattice.cut_choice import CutChoice
from anonagram.lattice.cut_sets import CutSet, CutSets
from anonagram.lattice.goal import Test, goal_of
from anonagram.lattice.ladder import Ladder, escaped, ladders_of
from anonagram.lattice.lattice import Explored, Lattice, Node
from anonagram.lattice.runs import CutCost

__all__ = [
    "COSTS",
    "Choice",
    "Cost",
    "CutChoice",
    "CutCost",
    "CutSet",
    "CutSets",
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
