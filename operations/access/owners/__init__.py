"""Grants of the operator: the company that owns a provider's resource."""
