"""Tries of a version: a conversation that does not exist, and the replay of a real one."""
