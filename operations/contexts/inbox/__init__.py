"""The inbox over all contexts."""
