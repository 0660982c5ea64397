"""Documents that models read, evaluations of their settings, and the bounds of their costs."""
