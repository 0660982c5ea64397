"""Item types of the two tables of this context; the only place that defines key patterns and attribute names."""
