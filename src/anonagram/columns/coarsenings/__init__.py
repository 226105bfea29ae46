"""Ways to publish values coarser than they are read, one file each."""
