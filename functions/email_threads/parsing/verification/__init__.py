"""Verification mails: their recognition, and its words of many languages."""
