"""Sample events of the inbox over all contexts."""
