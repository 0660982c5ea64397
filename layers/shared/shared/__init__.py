"""
What every context needs and what knows no context: settings, storage, queues, the action ledger, channels, secrets,
logs.

Nothing here imports a context, and nothing here knows a key pattern of one. Modules on the path of an ingress function
(settings, clock, gateway, queues, secrets, signatures, observability, redaction, objects) import no pydantic.
"""
