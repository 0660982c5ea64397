"""The work of campaigns on the queue, and their counters."""
