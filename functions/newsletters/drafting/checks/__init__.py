"""Checks of a model's text: addresses, numbers, quotations and language, compared with the cited passages."""
