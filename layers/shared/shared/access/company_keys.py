"""
The API keys of a company, in the table of API keys: their stored form, and how they are made, listed and revoked.

    {key id}            a key
    KEYS#{company}      `key_id`; no API key has such an id: `key_ids` of all keys of the company

    pk_{key id}_{secret}     key id: 16 hex digits, public; secret: 32 random bytes in URL-safe base64

The full key is shown once, at creation; only a hash of its secret is stored. The secret is random and long, so one
SHA-256 is enough: a slow hash only helps against guessable secrets.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, Self

from boto3.dynamodb.conditions import Attr

from shared.access import revocations
from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Caller
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes, Table

ACTIVE, REVOKED, EXPIRED = "active", "revoked", "expired"
KEY_PATTERN: Final = "KEYS#{company}"
MOST_KEYS: Final = 1_000  # of a company, revoked ones included: a list reads them all
MOST_DAYS: Final = 3_650  # until a key expires
_KEY, _IDS = "key_id", "key_ids"
_DAY = len("2026-01-31")


class KeyTaken(Exception):
    """There is a key with this id."""


class TooManyKeys(Exception):
    """The company has as many keys as it may have."""

    def __init__(self) -> None:
        super().__init__(f"a company may have {MOST_KEYS} API keys, revoked ones included")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One item of the API keys table, with the partition key `key_id`."""

    key_id: str
    secret_hash: str  # SHA-256 of the secret, hex
    company: str
    scopes: tuple[str, ...]
    projects: tuple[str, ...] = (EVERY_PROJECT,)
    name: str  # purpose of the key, in the words of its maker
    status: str  # active | revoked
    created_at: str
    expires_at: int | None = None  # epoch seconds; None: valid until revoked
    last_used_on: str | None = None  # day, UTC
    successor: str | None = None  # id of the key that replaces it

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

    def state(self) -> str:
        """Return whether the key is active, revoked or expired now."""
        is_expired = self.status == ACTIVE and clock.is_over(self.expires_at)
        return EXPIRED if is_expired else self.status


def create(
    table: Table,
    *,
    company: str,
    scopes: Iterable[str],
    name: str,
    projects: Iterable[str] = (EVERY_PROJECT,),
    expires_at: int | None = None,
    key_id: str | None = None,
) -> str:
    """
    Create a key and return its text, which cannot be read again. *expires_at* is in epoch seconds, *key_id* by default
    a random one. Raises KeyTaken and TooManyKeys.
    """
    secret = secrets.token_urlsafe(32)
    key = ApiKey(
        key_id=key_id or secrets.token_hex(8),
        secret_hash=hash_of(secret),
        company=company,
        scopes=tuple(scopes),
        projects=tuple(projects),
        name=name,
        status=ACTIVE,
        created_at=clock.to_text(clock.now_ms()),
        expires_at=expires_at,
    )
    has_room = Attr(_IDS).not_exists() | Attr(_IDS).size().lt(MOST_KEYS)
    try:
        table.transact(
            table.to_put(key.attributes(), when=Attr(_KEY).not_exists()),
            table.to_update(_list_of(company), add={_IDS: {key.key_id}}, when=has_room),
        )
    except TransactionRefused as refusal:
        raise (KeyTaken if 0 in refusal.positions else TooManyKeys) from None
    return f"pk_{key.key_id}_{secret}"


def find(table: Table, key_id: str) -> ApiKey | None:
    """Return the key with this id, which must have the form of one; strongly consistent."""
    item = table.get({_KEY: key_id})
    return ApiKey.read(item) if item else None


def of_company(table: Table, company: str) -> list[ApiKey]:
    """Return the keys of a company, newest first, those that were revoked or have expired too."""
    ids = [{_KEY: key_id} for key_id in sorted(_ids_of(table, company))]
    found = (ApiKey.read(item) for item in table.get_many(ids))
    return sorted(found, key=lambda key: (key.created_at, key.key_id), reverse=True)


def register(table: Table, company: str, key_ids: set[str]) -> None:
    """Add keys to the company's list, which lacks those that are older than it. Safe to repeat."""
    missing = key_ids - _ids_of(table, company)
    if missing:
        table.update(_list_of(company), add={_IDS: missing})


def note_use(table: Table, key: ApiKey) -> None:
    """Store the day of a use, once a day. Raises the table's exceptions."""
    today = clock.to_text(clock.now_ms())[:_DAY]
    if key.last_used_on == today:
        return
    try:
        table.update({_KEY: key.key_id}, put={"last_used_on": today}, when=Attr(_KEY).exists())
    except ConditionFailed:
        return  # The key was deleted meanwhile.


def succeed(table: Table, key: ApiKey, successor: str, at: int) -> None:
    """Let a key expire at a time (epoch seconds) in favour of another one. The first successor and time stay."""
    expires_at = at if key.expires_at is None else min(at, key.expires_at)
    try:
        table.update(
            {_KEY: key.key_id},
            put={"expires_at": expires_at, "successor": successor},
            when=Attr(_KEY).exists() & Attr("successor").not_exists(),
        )
    except ConditionFailed:
        return


def revoke(table: Table, key_id: str) -> bool:
    """
    Revoke a key at once and permanently; False if there is no such key. Safe to repeat.

    Calls are refused by its status; connections that it opened get no more hints by the revocation.
    """
    try:
        table.update({_KEY: key_id}, put={"status": REVOKED}, when=Attr(_KEY).exists())
    except ConditionFailed:
        return False
    revocations.end_sessions(table, principals.of_key(key_id), clock.now_ms() // clock.SECOND_MS)
    return True


def hash_of(secret: str) -> str:
    """Return the form in which the secret of a key is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _ids_of(table: Table, company: str) -> set[str]:
    item = table.get(_list_of(company))
    return set(item[_IDS]) if item else set()


def _list_of(company: str) -> Attributes:
    return {_KEY: KEY_PATTERN.format(company=company)}
