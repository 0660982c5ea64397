"""One turn of a ticket during processing, and the decision on it."""
