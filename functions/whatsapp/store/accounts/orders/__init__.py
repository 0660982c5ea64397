"""Payment orders, refunds and tenants."""
