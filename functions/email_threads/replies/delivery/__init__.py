"""The send of an approved draft: the mail, the one attempt, and its place in the thread."""
