"""The check of an API key; `shared.access.company_keys` has their form and how they are made."""

import hmac
import re

from access.credentials import CredentialsRefused
from shared.access import company_keys
from shared.access.company_keys import ApiKey
from shared.aws.dynamodb import Table
from shared.runtime import clock

_SHAPE = re.compile(r"pk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_HASH_OF_NOTHING = "0" * 64


class KeyRefused(CredentialsRefused):
    """Not a valid key. *reason*: malformed, unknown, wrong_secret, revoked or expired."""

    kind = "API key"


def verify(table: Table, text: str) -> ApiKey:
    """Return the key with this text. Raises KeyRefused; failures of the table propagate."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise KeyRefused("malformed")
    key_id, secret = shape.groups()
    key = company_keys.find(table, key_id)
    # Compare for an unknown id too, so that the response time does not reveal which ids exist.
    expected = key.secret_hash if key else _HASH_OF_NOTHING
    is_right = hmac.compare_digest(company_keys.hash_of(secret).encode(), expected.encode())
    if key is None:
        raise KeyRefused("unknown")
    if not is_right:
        raise KeyRefused("wrong_secret")
    if key.status != company_keys.ACTIVE:
        raise KeyRefused("revoked")
    if clock.is_over(key.expires_at):
        raise KeyRefused("expired")
    return key
