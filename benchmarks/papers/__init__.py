"""Each paper's experiments, ours beside theirs."""
