"""What webhooks report beside messages and their statuses: one module per family of fields."""
