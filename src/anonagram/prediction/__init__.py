"""What a person's attributes say about a value of hers: features, and models that add up their tables."""

from anonagram.prediction.features import Features

__all__ = ["Features"]
