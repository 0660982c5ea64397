"""The scenarios that chapters play, and the software and probes that they need."""
