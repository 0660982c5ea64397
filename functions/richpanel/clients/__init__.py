"""
Clients of the external services: help desk, shop, shipping, language model. Each is a frozen dataclass; those with a
deadline are created per event.

    reads and idempotent changes   raise Transient or Permanent (`shared.runtime.failures`)
    replies                        raise Refused, NotSent or InDoubt (`shared.providers.outcomes`)

Errors contain the provider and its code only: no provider text, address or key.
"""
