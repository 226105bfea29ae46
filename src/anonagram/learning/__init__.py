"""What can be learned from all groups of a release together: who probably has which value."""

from anonagram.learning.learned import Learned, learn
from anonagram.learning.predicted import predict_others
from anonagram.learning.scored import Scored, score_learner

__all__ = ["Learned", "Scored", "learn", "predict_others", "score_learner"]
