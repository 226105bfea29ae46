"""Methods for graphs: one idea, one file."""
