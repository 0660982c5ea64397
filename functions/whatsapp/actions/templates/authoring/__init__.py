"""Definitions of templates: creating, editing and deleting them, and the provider's library."""
