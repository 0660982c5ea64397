"""Decisions that are not carried out: on one ticket, and on old ones."""
