"""The HTTP APIs of all contexts: callers, errors, cursors, opaque ids, OpenAPI."""
