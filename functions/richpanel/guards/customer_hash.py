"""Customers, by a keyed hash of their address: enough to count what they got, useless to whoever reads the table."""

import hashlib
import hmac

from shared.aws.secrets import JsonSecret, SecretUnreadable


def can_count(keys: JsonSecret) -> bool:
    """Whether there is a salt: without one nobody is counted, and so nobody is answered."""
    return bool(keys.value().get("salt"))


def customer_hmac(keys: JsonSecret, address: str) -> str:
    """The hash of a normalised address, 64 hex digits. Raises SecretUnreadable where no salt is set up."""
    salt = keys.value().get("salt")
    if not isinstance(salt, str) or not salt:
        raise SecretUnreadable("the keys of the help desk have no salt")
    return hmac.new(salt.encode(), address.encode(), hashlib.sha256).hexdigest()
