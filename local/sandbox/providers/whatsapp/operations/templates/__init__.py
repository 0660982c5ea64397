"""Templates at Graph and at AWS, and their rules."""
