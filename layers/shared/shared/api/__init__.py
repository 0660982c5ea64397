"""Shared code of all contexts' HTTP APIs: callers, errors, cursors, opaque ids, OpenAPI."""
