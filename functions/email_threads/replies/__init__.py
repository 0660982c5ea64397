"""Answers to mails: when one may be sent without a person."""
