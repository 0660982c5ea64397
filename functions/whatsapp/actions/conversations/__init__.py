"""Actions that read and change the inbox: conversations and their messages."""
