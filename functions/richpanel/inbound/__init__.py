"""Webhook calls and ticket payloads of Richpanel, verified and translated to events."""
