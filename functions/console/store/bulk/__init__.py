"""Changes of many conversations."""
