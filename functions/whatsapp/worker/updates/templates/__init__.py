"""Updates of templates."""
