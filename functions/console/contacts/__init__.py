"""API of the customers of a company: searches, changes, lists."""
