"""Answers from a company's documents: the settings, the search tool of the model, and the citations in an answer."""
