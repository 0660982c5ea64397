"""Notifications of people and teams: made by the feeds of the inbox, listed by GET /inbox/notifications."""
