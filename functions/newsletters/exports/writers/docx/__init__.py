"""Writes DOCX with python-docx: built-in styles, real hyperlinks and lists, and right-to-left text."""

from newsletters.exports.writers.docx.package import write

__all__ = ["write"]
