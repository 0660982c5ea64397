"""Delivery statuses, late deliveries and the fallback to another channel."""
