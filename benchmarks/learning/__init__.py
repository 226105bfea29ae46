"""What learning from a release gives: to an intruder, and to an analyst."""
