"""Targets of distributional privacy: one distribution, one file, found by itself."""
