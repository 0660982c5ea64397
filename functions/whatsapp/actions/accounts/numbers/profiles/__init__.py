"""Public profiles of numbers."""
