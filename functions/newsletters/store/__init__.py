"""Access patterns of the table, and the objects of the bucket."""
