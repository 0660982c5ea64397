"""Automatic replies, and the reservations that prevent a second one."""
