"""HTTP API of issues: inputs, routes, queries and presenters."""
