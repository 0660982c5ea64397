"""Functions that receive the notices of providers."""
