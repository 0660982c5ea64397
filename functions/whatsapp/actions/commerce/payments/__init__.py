"""Payments in India: orders, their payments and refunds, payment configurations, and tenants."""
