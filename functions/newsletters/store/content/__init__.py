"""Newsletters and their steps, and the hashes of the inputs of a step."""
