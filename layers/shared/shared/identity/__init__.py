"""Normalised addresses, their keyed hashes, and the company that owns a secret, an account or a business address."""
