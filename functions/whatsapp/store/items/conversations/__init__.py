"""Items of conversations: heads, messages, files, notes and groups."""
