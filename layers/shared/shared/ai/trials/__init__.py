"""Trials of a version of a model's settings beside the live one: in shadow, or with a share of what people write."""
