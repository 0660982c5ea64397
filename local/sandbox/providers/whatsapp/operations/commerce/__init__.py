"""Catalogs and payments."""
