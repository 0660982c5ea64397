"""Tries of versions of a company's settings: a step of a newsletter without storing it, and sets of scenarios."""
