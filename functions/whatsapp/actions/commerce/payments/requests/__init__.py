"""Requests for payment: orders that customers pay in WhatsApp."""
