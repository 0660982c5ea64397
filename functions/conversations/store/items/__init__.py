"""The items of the two tables of this context: key patterns and attribute names stand here and nowhere else."""
