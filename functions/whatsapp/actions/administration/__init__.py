"""The deployment and its actions: settings, webhooks, parked events, and what is left in doubt."""
