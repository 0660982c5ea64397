"""Jobs: the asynchronous work on a newsletter, from its request to its result."""
