"""What a column's values are: encoding, distances, ranks, hierarchies."""
