"""
API keys. The full key is shown once, at creation; only a hash of its secret is stored.

    pk_{key id}_{secret}     key id: 16 hex digits, public; secret: 32 random bytes in URL-safe base64

The secret is random and long, so one SHA-256 is enough: a slow hash only helps against guessable secrets.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Self

from boto3.dynamodb.conditions import Attr

from access.credentials import CredentialsRefused
from shared.access import revocations
from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Caller
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock

ACTIVE = "active"
REVOKED = "revoked"
_SHAPE = re.compile(r"pk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_HASH_OF_NOTHING = "0" * 64


class KeyRefused(CredentialsRefused):
    """Not a valid key. *reason*: malformed, unknown, wrong_secret, revoked or expired."""

    kind = "API key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One item of the API keys table, with the partition key `key_id`."""

    key_id: str
    secret_hash: str  # SHA-256 of the secret, hex
    company: str
    scopes: tuple[str, ...]
    projects: tuple[str, ...] = (EVERY_PROJECT,)
    name: str  # purpose of the key, in the operator's words
    status: str  # active | revoked
    created_at: str
    expires_at: int | None = None  # epoch seconds; None: valid until revoked

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """Parse a stored key; attributes of a newer version are ignored."""
        known = {name: item[name] for name in cls.__dataclass_fields__ if name in item}
        expires_at = int(item["expires_at"]) if "expires_at" in item else None
        # Keys created before projects existed are valid for all of them.
        projects = tuple(item.get("projects", (EVERY_PROJECT,)))
        scopes = tuple(item["scopes"])
        return cls(**known | {"scopes": scopes, "projects": projects, "expires_at": expires_at})

    def attributes(self) -> Attributes:
        """Return the key as it is stored."""
        stored = asdict(self) | {"scopes": list(self.scopes), "projects": list(self.projects)}
        return {name: value for name, value in stored.items() if value is not None}

    def caller(self) -> Caller:
        """Return the caller that this key authenticates."""
        return Caller(
            company=self.company,
            scopes=frozenset(self.scopes),
            principal=principals.of_key(self.key_id),
            projects=frozenset(self.projects),
        )


def create(
    table: Table,
    *,
    company: str,
    scopes: Iterable[str],
    name: str,
    projects: Iterable[str] = (EVERY_PROJECT,),
    expires_at: int | None = None,
) -> str:
    """Create a key and return its text, which cannot be read again. *expires_at* is in epoch seconds."""
    secret = secrets.token_urlsafe(32)
    key = ApiKey(
        key_id=secrets.token_hex(8),
        secret_hash=_hash(secret),
        company=company,
        scopes=tuple(scopes),
        projects=tuple(projects),
        name=name,
        status=ACTIVE,
        created_at=clock.to_text(clock.now_ms()),
        expires_at=expires_at,
    )
    try:
        table.put(key.attributes(), when=Attr("key_id").not_exists())
    except ConditionFailed as refusal:
        # This call's own Put, repeated by the SDK after a lost response. Otherwise the key id is taken.
        if refusal.existing != key.attributes():
            raise
    return f"pk_{key.key_id}_{secret}"


def verify(table: Table, text: str) -> ApiKey:
    """Return the key with this text. Raises KeyRefused; failures of the table propagate."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise KeyRefused("malformed")
    key_id, secret = shape.groups()
    item = table.get({"key_id": key_id})
    key = ApiKey.read(item) if item else None
    # Compare for an unknown id too, so that the response time does not reveal which ids exist.
    expected = key.secret_hash if key else _HASH_OF_NOTHING
    is_right = hmac.compare_digest(_hash(secret).encode(), expected.encode())
    if key is None:
        raise KeyRefused("unknown")
    if not is_right:
        raise KeyRefused("wrong_secret")
    if key.status != ACTIVE:
        raise KeyRefused("revoked")
    if clock.is_over(key.expires_at):
        raise KeyRefused("expired")
    return key


def revoke(table: Table, key_id: str) -> bool:
    """
    Revoke a key at once and permanently; False if there is no such key. Safe to repeat.

    Calls are refused by its status; connections that it opened get no more hints by the revocation.
    """
    try:
        table.update({"key_id": key_id}, put={"status": REVOKED}, when=Attr("key_id").exists())
    except ConditionFailed:
        return False
    revocations.end_sessions(table, principals.of_key(key_id), clock.now_ms() // clock.SECOND_MS)
    return True


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
