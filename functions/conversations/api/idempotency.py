"""Idempotency of admin API changes: a repetition under the same key returns the stored answer."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from conversations.initiation.context_object import as_json
from conversations.store import idempotency
from conversations.store.items import identifiers
from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from shared.aws.dynamodb import Table

KEY = re.compile(r"[!-~]{8,255}")


class KeyReused(Exception):
    """The same key was used for a different change."""


class StillRunning(Exception):
    """The same change is in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    A requested change: *key* is the Idempotency-Key, *content* the whole input.

    *projects* are those that the caller's API key is bound to. A stored answer may name conversations of all of them,
    so Idempotency-Keys are scoped to the set of projects: a caller with other projects neither gets the answer nor
    learns that it exists. *owner* identifies this call, *remaining_ms* is its remaining time.
    """

    company: str
    projects: Collection[str]
    route: str
    key: str = field(repr=False)
    content: Any = field(repr=False)
    owner: str
    remaining_ms: int

    @property
    def cause(self) -> str:
        """Hash that identifies the change and its effects."""
        return digest("admin", self.company, *sorted(self.projects), self.route, self.key)


def answered(log: Table, asked: Asked, change: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """
    Call *change* with the cause, or return its stored answer. Raises KeyReused, StillRunning.

    A failed change releases the key at once. After a crash the change is repeated once the lease has expired: changes
    are safe to repeat.
    """
    fingerprint = identifiers.fingerprint(asked.content)
    try:
        held = idempotency.claim(
            log, asked.cause, fingerprint, owner=asked.owner, remaining_ms=asked.remaining_ms
        )
    except idempotency.Conflict:
        raise KeyReused("the Idempotency-Key was used for a call with other content") from None
    except idempotency.InProgress:
        raise StillRunning("the same call is still in progress") from None
    if held.answer is not None:
        known: dict[str, Any] = as_json(held.answer)
        return known
    try:
        answer = change(asked.cause)
    except Exception:
        with suppress(
            ClientError, BotoCoreError
        ):  # The lease expires by itself; the caller gets the original error.
            idempotency.release(log, held)
        raise
    idempotency.finish(log, held, answer)
    return answer
