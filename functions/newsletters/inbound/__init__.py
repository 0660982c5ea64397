"""The events of the queues of this context."""
