"""Decisions of people about drafts: review, the time of a send, a second answer within a minute."""
