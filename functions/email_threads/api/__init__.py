"""HTTP API of e-mail threads: inputs, routes, queries, changes and presenters."""
