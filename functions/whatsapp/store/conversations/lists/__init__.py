"""Lists of conversations and of their entries."""
