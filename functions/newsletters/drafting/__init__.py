"""Writes the outline and the draft with a language model, and applies people's changes."""
