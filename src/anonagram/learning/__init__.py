"""What can be learned from all groups of a release together: who probably has which value."""

from anonagram.learning.apart import Apart, stands_apart
from anonagram.learning.by_design import ByDesign
from anonagram.learning.by_rank import ByRank, Ranked
from anonagram.learning.foretold import Foretold, foretell
from anonagram.learning.guesses import (
    POINTS,
    SUREST,
    Guesses,
    Matched,
    Success,
    Tried,
    alike_codes,
    alike_kinds,
    excess,
)
from anonagram.learning.learned import LEARNERS, Learned, Learner, learn, learn_all
from anonagram.learning.nearest import guess_near
from anonagram.learning.predicted import predict_others
from anonagram.learning.ranking import (
    guess_ranked,
    rank_all,
    ranked_columns,
    sortable,
)
from anonagram.learning.scored import MOST_VALUES, Scored, score_apart, score_learner
from anonagram.learning.strongest import (
    Strongest,
    guess_released,
    guess_without,
    learning_seconds,
    score_strongest,
)
from anonagram.learning.worlds import can_learn, draw_worlds

__all__ = [
    "LEARNERS",
    "MOST_VALUES",
    "POINTS",
    "SUREST",
    "Apart",
    "ByDesign",
    "ByRank",
    "Foretold",
    "Guesses",
    "Learned",
    "Learner",
    "Matched",
    "Ranked",
    "Scored",
    "Strongest",
    "Success",
    "Tried",
    "alike_codes",
    "alike_kinds",
    "can_learn",
    "draw_worlds",
    "excess",
    "foretell",
    "guess_near",
    "guess_ranked",
    "guess_released",
    "guess_without",
    "learn",
    "learn_all",
    "learning_seconds",
    "predict_others",
    "rank_all",
    "ranked_columns",
    "score_apart",
    "score_learner",
    "score_strongest",
    "sortable",
    "stands_apart",
]
