"""Distributional and personalized privacy (Zhang 2007, chapters 3 and 5)."""
