"""Access patterns of erasure, export and retention."""
