"""Forms at AWS and at Graph, and their rules."""
