"""Message templates: sending them, and creating, editing and synchronising them at both providers."""
