"""Commands for the WhatsApp inbox: business numbers, and contacts that are the same person."""
