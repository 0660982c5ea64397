"""The policy checks of a message before it is sent, with rate limits and token budgets."""
