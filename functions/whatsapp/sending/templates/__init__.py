"""Template messages: whether a template can be sent, and whether values fit it."""
