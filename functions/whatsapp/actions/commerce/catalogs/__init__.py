"""Catalogs, their products, and the commerce settings of numbers."""
