"""
What operators see of the deployment, read from AWS when asked: queues, alarms, metrics, switches; and the audit log.

Stores nothing. What cannot be read is an error or a `problem` with its reason, never a zero.
"""
