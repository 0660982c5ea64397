"""The HTTP API of conversations: routes, inputs, queries, views and presenters."""
