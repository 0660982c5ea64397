"""Canned replies of a company: one store, written by the WhatsApp inbox, whose table has them, and read by e-mail."""
