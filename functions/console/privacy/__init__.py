"""Erases and exports a person in all contexts: the jobs of the contexts, then the contacts and the inbox."""
