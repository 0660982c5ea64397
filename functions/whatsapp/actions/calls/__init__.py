"""Building blocks of actions: calls, inputs, participants, providers and answers."""
