"""Sends stored messages again: one, or those that failed for a reason that passes."""
