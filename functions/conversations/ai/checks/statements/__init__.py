"""Statements of an answer about its writer: actions that are done, and being a person."""
