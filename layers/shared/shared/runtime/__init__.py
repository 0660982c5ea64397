"""The runtime of a function: settings, time, logging, metrics, traces."""
