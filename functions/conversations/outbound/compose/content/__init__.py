"""What customers send, as models read it: marks, quoted messages and files."""
