"""Dead letters, the sweep for missed tickets, and the drift check of teams and tags."""
