"""Who gets an issue: the audience, and the snapshot of it that is sent to."""
