"""A change of the admin API is made once: its repetition under the same key gets the same answer."""

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
    """Another change was asked for under the same key."""


class StillRunning(Exception):
    """The same change is being made just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    One change: *key* is the Idempotency-Key, *content* all that was given.

    *projects* are those that the caller's API key is bound to. A stored answer may name conversations of all of them,
    so the Idempotency-Keys of callers with other projects are apart: such a caller neither gets the answer nor learns
    that it exists. *owner* names this call, *remaining_ms* is how long it can still live.
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
        """The hash that names the change, and what follows from it."""
        return digest("admin", self.company, *sorted(self.projects), self.route, self.key)


def answered(log: Table, asked: Asked, change: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """
    The answer of *change*, which is given the cause, or the one that it gave before. Raises KeyReused, StillRunning.

    What fails is given back at once. What died on the way is made again after its lease: changes are safe to repeat.
    """
    fingerprint = identifiers.fingerprint(asked.content)
    try:
        held = idempotency.claim(
            log, asked.cause, fingerprint, owner=asked.owner, remaining_ms=asked.remaining_ms
        )
    except idempotency.Conflict:
        raise KeyReused("the Idempotency-Key was used for another content") from None
    except idempotency.InProgress:
        raise StillRunning("the same call is being answered just now") from None
    if held.answer is not None:
        known: dict[str, Any] = as_json(held.answer)
        return known
    try:
        answer = change(asked.cause)
    except Exception:
        with suppress(
            ClientError, BotoCoreError
        ):  # The lease ends by itself; what failed is what the caller is told.
            idempotency.release(log, held)
        raise
    idempotency.finish(log, held, answer)
    return answer
