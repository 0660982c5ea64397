"""Ownership: which company a secret, a provider account or a business address belongs to."""
