"""Amounts, dates, times, accounts and addresses of an answer, compared with the known texts."""
