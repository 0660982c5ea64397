"""The command `python -m richpanel.decide`: what the middleware would do with messages."""
