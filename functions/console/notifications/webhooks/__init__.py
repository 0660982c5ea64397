"""Webhooks of a company: their routes, the secrets that sign deliveries, and the runs that deliver."""
