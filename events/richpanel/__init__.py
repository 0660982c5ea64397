"""Sample events of the help desk's webhook, made by `python -m events.richpanel.make`."""
