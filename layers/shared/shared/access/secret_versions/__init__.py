"""Versions of secrets that commands and the API write: each replaces exactly the version that was read."""
