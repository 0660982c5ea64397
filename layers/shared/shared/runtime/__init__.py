"""The runtime of a function: settings, logging, metrics, traces."""
