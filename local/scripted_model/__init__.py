"""A deterministic stand-in for a language model, for the local stack and for tests."""
