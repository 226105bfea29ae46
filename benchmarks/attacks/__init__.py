"""What every attack gets of every method."""
