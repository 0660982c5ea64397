"""
Code that all contexts share: settings, storage, queues, the action ledger, channels, secrets and logs.

This package imports no context and contains no context's key patterns. Modules on the import path of an ingress
function (settings, clock, queues, secrets, signatures, observability, redaction, objects) do not import pydantic.
"""
