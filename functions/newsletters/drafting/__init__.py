"""Writes the outline and the draft with a language model, and applies what people change in them."""
