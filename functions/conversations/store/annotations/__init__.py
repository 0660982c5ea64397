"""Annotations of agents and the model about a conversation: labels, snoozes, notes, the memory."""
