"""Campaigns, their pages, the reading of their audience, and their turns on the queue."""
