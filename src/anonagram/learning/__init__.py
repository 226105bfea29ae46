"""What can be learned from all groups of a release together: who probably has which value."""

from anonagram.learning.learned import Learned, learn
from anonagram.learning.predicted import predict_others

__all__ = ["Learned", "learn", "predict_others"]
