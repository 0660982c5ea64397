"""Processes the events of `whatsapp.fifo`: messages, files and all other reports of the providers."""
