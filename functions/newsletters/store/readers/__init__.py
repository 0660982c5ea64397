"""Readers: the ledger of recipients, public lists, sign-ups, choices, evidence of consent, and the archive."""
