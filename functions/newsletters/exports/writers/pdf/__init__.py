"""Writes tagged PDF (PDF/UA-1) with typst, from one fixed template and the fonts of the layer."""

from newsletters.exports.writers.pdf.compile import write

__all__ = ["write"]
