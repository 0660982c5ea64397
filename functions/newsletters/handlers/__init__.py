"""The functions of this context, one module each."""
