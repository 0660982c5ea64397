"""Selling: catalogues, and orders that customers pay."""
