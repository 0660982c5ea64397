"""Builds the web console, and generates the types of its API client."""
