"""
The outside services: help desk, shop, shipping. Each is a frozen dataclass that is made for one event.

    reads, and changes that may be repeated   raise Transient or Permanent (`shared.failures`)
    replies                                   raise Refused, NotSent or InDoubt (`shared.providers.outcomes`)

No error carries what a provider wrote, an address or a key: only which provider, and its code.
"""
