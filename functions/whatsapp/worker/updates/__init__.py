"""Webhook updates other than messages and their statuses: one module per family of fields."""
