"""Safe groupings of bipartite graphs."""
