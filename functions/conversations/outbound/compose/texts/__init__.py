"""Texts that no model writes: fixed ones, opening times, and the question how satisfied a customer is."""
