"""
The state of the deployment for operators, read from AWS on request: queues, alarms, metrics, switches, audit log.

Stores nothing. What cannot be read is an error or a `problem` with its reason, never a zero.
"""
