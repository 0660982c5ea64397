"""Webhook calls of Richpanel, verified and translated to events, and the events that Parley queues itself."""
