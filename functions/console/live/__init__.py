"""The WebSocket API: opens and closes connections, and relays what agents do to colleagues."""
