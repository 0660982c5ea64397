"""Conversation heads: their lists, read marks, changes by agents, and notes."""
