"""Updates of payments and of their configurations."""
