"""What actions use: their inputs, participants, providers and answers."""
