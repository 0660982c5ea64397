"""Analyses customers' mails with a language model: finds known and missing requirements, and drafts an answer."""
