"""Headings and paragraphs of documents, one module per format."""
