"""Permutation anonymization (Li, He, Cao and Chen 2015)."""
