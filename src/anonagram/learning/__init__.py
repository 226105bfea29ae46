"""What can be learned from all groups of a release together: who probably has which value."""

from anonagram.learning.apart import Apart, stands_apart
from anonagram.learning.by_design import ByDesign
from anonagram.learning.foretold import Foretold, foretell
from anonagram.learning.guesses import SUREST, Guesses, Matched, Success, alike_codes, alike_kinds
from anonagram.learning.learned import LEARNERS, Learned, Learner, learn, learn_all
from anonagram.learning.predicted import predict_others
from anonagram.learning.scored import MOST_VALUES, Scored, score_apart, score_learner
from anonagram.learning.strongest import (
    Strongest,
    Tried,
    guess_released,
    guess_without,
    score_strongest,
)
from anonagram.learning.worlds import can_learn, draw_worlds

__all__ = [
    "LEARNERS",
    "MOST_VALUES",
    "SUREST",
    "Apart",
    "ByDesign",
    "Foretold",
    "Guesses",
    "Learned",
    "Learner",
    "Matched",
    "Scored",
    "Strongest",
    "Success",
    "Tried",
    "alike_codes",
    "alike_kinds",
    "can_learn",
    "draw_worlds",
    "foretell",
    "guess_released",
    "guess_without",
    "learn",
    "learn_all",
    "predict_others",
    "score_apart",
    "score_learner",
    "score_strongest",
    "stands_apart",
]
