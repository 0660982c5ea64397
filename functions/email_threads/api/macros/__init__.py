"""Macros over HTTP: their definitions, and runs of them on threads."""
