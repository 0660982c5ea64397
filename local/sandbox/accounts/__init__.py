"""State of the simulated accounts, and the seeds that change it."""
