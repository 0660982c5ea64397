"""The command `python -m richpanel.cli`: what the middleware would do with messages."""
