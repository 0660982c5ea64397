"""Outgoing messages: composition, policy, turns, provider gateway and delivery statuses."""
