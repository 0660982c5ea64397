"""Phrases of customers: requests for a human agent, opt-outs and questions."""
