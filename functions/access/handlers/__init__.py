"""The Lambda authorizer."""
