"""The header fields of a mail, and the addresses in them."""
