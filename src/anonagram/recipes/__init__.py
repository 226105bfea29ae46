"""A routine written down once: what is published how, and what must hold, again and again."""

from anonagram.recipes.limits import Kept
from anonagram.recipes.outcome import Outcome
from anonagram.recipes.proposal import is_recipe, propose_recipe
from anonagram.recipes.recipe import RECIPE, Compared, Points, Recipe, Written
from anonagram.recipes.running import run

__all__ = [
    "RECIPE",
    "Compared",
    "Kept",
    "Outcome",
    "Points",
    "Recipe",
    "Written",
    "is_recipe",
    "propose_recipe",
    "run",
]
