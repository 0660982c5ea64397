"""HTTP API of newsletters: inputs, routes, queries and presenters."""
