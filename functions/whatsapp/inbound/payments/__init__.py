"""Payments on the way in: webhooks of gateways, and the claims that they make about orders."""
