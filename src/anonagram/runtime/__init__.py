"""How work is done on this machine: writing all or nothing, threads, progress."""
