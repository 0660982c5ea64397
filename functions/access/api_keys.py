"""
API keys: made once, shown once, and known here by a hash only.

    pk_{key id}_{secret}     key id: 16 hex digits, public; secret: 32 random bytes in URL-safe base64

The secret is random and long, so one SHA-256 is enough: there is nothing to guess that a slow hash would protect.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Self

from boto3.dynamodb.conditions import Attr

from shared import clock
from shared.api.auth import EVERY_PROJECT, Caller
from shared.aws.dynamodb import Attributes, ConditionFailed, Table

ACTIVE = "active"
REVOKED = "revoked"
_SHAPE = re.compile(r"pk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_HASH_OF_NOTHING = "0" * 64


class KeyRefused(Exception):
    """Nobody's key. *reason*: malformed, unknown, wrong_secret, revoked or expired; for logs, not for the caller."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One item of the API keys table, whose key is `key_id`."""

    key_id: str
    secret_hash: str  # SHA-256 of the secret, hex
    company: str
    scopes: tuple[str, ...]
    projects: tuple[str, ...] = (EVERY_PROJECT,)
    name: str  # what the key is for, in the operator's words
    status: str  # active | revoked
    created_at: str
    expires_at: int | None = None  # epoch seconds; none: it lives until it is revoked

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """The key that an item is; attributes of a newer version are left out."""
        known = {name: item[name] for name in cls.__dataclass_fields__ if name in item}
        expires_at = int(item["expires_at"]) if "expires_at" in item else None
        # Keys from before there were projects are good for all of them.
        projects = tuple(item.get("projects", (EVERY_PROJECT,)))
        scopes = tuple(item["scopes"])
        return cls(**known | {"scopes": scopes, "projects": projects, "expires_at": expires_at})

    def attributes(self) -> Attributes:
        """The key as it is stored."""
        stored = asdict(self) | {"scopes": list(self.scopes), "projects": list(self.projects)}
        return {name: value for name, value in stored.items() if value is not None}

    def caller(self) -> Caller:
        """The caller whom this key stands for."""
        return Caller(
            company=self.company,
            scopes=frozenset(self.scopes),
            principal=f"api-key:{self.key_id}",
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
    """Make a key and return its text, which nobody can see again. *expires_at* is in epoch seconds."""
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
        # Our own Put, when the SDK repeated it because its answer was lost. Anything else is a key that is taken.
        if refusal.existing != key.attributes():
            raise
    return f"pk_{key.key_id}_{secret}"


def verify(table: Table, text: str) -> ApiKey:
    """The key whose text this is. Raises KeyRefused; failures of the table fly on."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise KeyRefused("malformed")
    key_id, secret = shape.groups()
    item = table.get({"key_id": key_id})
    key = ApiKey.read(item) if item else None
    # For an unknown id too, so that the time an answer takes does not tell which ids there are.
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
    """Make a key useless at once, for good; False when there is no such key. Safe to repeat."""
    try:
        table.update({"key_id": key_id}, put={"status": REVOKED}, when=Attr("key_id").exists())
    except ConditionFailed:
        return False
    return True


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
