"""Keyed hash of customer addresses: counts replies per customer without storing the address."""

import hashlib
import hmac

from shared.aws.secrets import JsonSecret, SecretUnreadable


def can_count(keys: JsonSecret) -> bool:
    """Return whether a salt is set up. Without one, replies cannot be counted and none is sent."""
    return bool(keys.value().get("salt"))


def customer_hmac(keys: JsonSecret, address: str) -> str:
    """Return the hash of a normalised address, 64 hex digits. Raises SecretUnreadable if no salt is set up."""
    salt = keys.value().get("salt")
    if not isinstance(salt, str) or not salt:
        raise SecretUnreadable("the help desk secret has no salt")
    return hmac.new(salt.encode(), address.encode(), hashlib.sha256).hexdigest()
