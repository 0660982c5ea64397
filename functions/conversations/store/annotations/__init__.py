"""What agents and the model note about a conversation: labels, snoozes, notes, the memory."""
