"""POST /initiate-conversation: parse, validate, accept and enqueue a request."""
