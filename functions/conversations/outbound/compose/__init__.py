"""Composition of outgoing messages: model answers, templates, fixed texts, length limits."""
