"""Access patterns of the two tables, by name. Nothing else in this context reads or writes an item."""
