"""Twilio's messages API."""
