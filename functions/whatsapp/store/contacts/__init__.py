"""Customers: their ids, links between them, and jobs that erase or export them."""
