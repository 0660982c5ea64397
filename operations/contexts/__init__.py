"""Commands for one context."""
