"""The deployment and its actions: settings, webhooks, parked events, and sends in doubt."""
