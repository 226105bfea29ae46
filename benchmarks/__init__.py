"""Measured claims: papers/ (each paper's figures, ours beside theirs) and scaling/."""
