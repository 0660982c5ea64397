"""The chapters of the demo: each plays the sample events of one context."""
