"""Answers from values that were replaced with known chances: the inverse, and its error."""
