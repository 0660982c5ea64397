"""Checks of a project's settings before they are stored."""
