"""The test of two templates: its course, and when one of them is better."""
