"""What a recipient and a subject show about the thread of a mail."""
