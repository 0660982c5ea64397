"""Checks of a deployment: what is missing or wrong, and the next steps. Changes nothing."""
