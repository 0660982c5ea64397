"""Evidence of a recipient and a subject for the thread of a mail."""
