"""Finds the action of a request by its name, runs it, and answers."""
