"""Calls of models: bounded and repeated, and with a second model where the first does not answer."""
