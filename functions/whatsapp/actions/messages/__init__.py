"""Messages of all types, reactions and receipts."""
