"""Erases what the help desk keeps of a customer, beside the tickets, which the API erases by their ids."""
