"""Carriers and delivery windows."""
