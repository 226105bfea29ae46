"""What an intruder can find out from a graph whose nodes have no names: one intruder, one file."""
