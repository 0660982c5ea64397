"""The demo (`make demo`): one module per context plays its sample events and prints the results."""
