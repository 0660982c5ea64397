"""Translation of inbox events and their hand-over to the conversations context."""
