"""Erasure and export of one person, known by an e-mail address."""
