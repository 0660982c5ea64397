"""Sample Lambda events of every context."""
