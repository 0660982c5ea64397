"""Settings of companies, and the resources of the functions."""
