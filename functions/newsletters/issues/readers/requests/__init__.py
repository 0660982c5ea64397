"""Requests of readers by their address: to join a list, a link to their choices, to be erased; each with a mail."""
