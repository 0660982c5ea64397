"""
A load run against the local stack, in which function workers are killed: `make load`.

Sends thousands of signed events of hundreds of conversations over HTTP, some twice, some invalid. Meanwhile it
repeatedly kills the processes that run the webhook and the worker, as a crash or a timeout would. At the end every
message must be stored exactly once and in order, and the totals must match exactly.
"""
