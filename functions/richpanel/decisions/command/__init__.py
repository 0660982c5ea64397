"""The command `python -m richpanel.decisions.command`: what the middleware would do with messages."""
