"""
A load run against the local stack, in which function workers are killed: `make load`.

Thousands of signed events of hundreds of conversations come in over HTTP, some twice, some poisonous. Meanwhile the
processes that run the webhook and the worker are killed again and again, as a crash or a timeout would. In the end
everything must be there, once, in order, and the account must add up exactly.
"""
