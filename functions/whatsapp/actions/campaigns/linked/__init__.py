"""Campaigns that belong to another one: the retry of its failed messages, and the decision of its test."""
