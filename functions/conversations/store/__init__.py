"""Named access patterns of the two tables. Only this package reads or writes items of this context."""
