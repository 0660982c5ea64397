"""The work that readers cause: the mails that answer them, their contacts, and the welcome mail of a list."""
