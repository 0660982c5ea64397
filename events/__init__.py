"""Sample events of every context, as AWS hands them to the functions."""
