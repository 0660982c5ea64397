"""
Requests of an API, answered once.

A lease without a fence, for the caller's sake: what the answer stands for is safe to do twice by its own keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.store.items.base import key
from conversations.store.items.records import Answered, Rate
from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.failures import Transient
from shared.rate_limits.fixed_window import Quotas
from shared.rate_limits.limit import Limit

ROUNDS = 4

type Answer = dict[str, Any]


class Conflict(Exception):
    """Another request was made under the same id."""


class InProgress(Exception):
    """The same request is being answered just now."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer a request, until `finish` or `release`; or the answer that it got before."""

    hashed: str
    owner: str
    answer: Answer | None = field(default=None, repr=False)


def claim(table: Table, hashed: str, fingerprint: str, *, owner: str, remaining_ms: int) -> Claim:
    """
    Claim a request by the hash of its id; *owner* is this call, *remaining_ms* how long it can still live.

    Raises Conflict and InProgress.
    """
    mine = Answered(
        fingerprint=fingerprint,
        owner=owner,
        lease_until=clock.now_ms() + remaining_ms,
        ttl=Answered.time_to_live(),
    )
    where = _key(hashed)
    is_free = Answered.attr("fingerprint").not_exists() | Answered.attr("ttl").lte(
        clock.now_ms() // clock.SECOND_MS
    )
    is_left = Answered.attr("answer").not_exists() & Answered.attr("lease_until").lte(
        clock.now_ms()
    )
    same = Answered.attr("fingerprint").eq(fingerprint)
    try:
        table.put(mine.attributes(where), when=is_free | (is_left & same))
    except ConditionFailed as refusal:
        found = Answered.read(refusal.existing or {"fingerprint": ""})
        if found.fingerprint != fingerprint:
            raise Conflict from None
        if found.answer is not None:
            return Claim(hashed, owner, found.answer)
        if found.owner != owner:  # Else our own write, whose answer was lost.
            raise InProgress from None
    return Claim(hashed, owner)


def finish(table: Table, held: Claim, answer: Answer) -> None:
    """Keep the answer for repetitions. Whoever took the request over meanwhile may say the same."""
    table.update(
        _key(held.hashed),
        put=Answered.named(answer=answer, ttl=Answered.time_to_live()),
        drop=["owner", "lease_until"],
        when=Answered.attr("fingerprint").exists(),
    )


def release(table: Table, held: Claim) -> None:
    """Give a claim back: the request was refused, and may be made again at once."""
    try:
        table.delete(_key(held.hashed), when=Answered.attr("owner").eq(held.owner))
    except ConditionFailed:
        return  # Somebody else's by now.


def forget(table: Table, hashed: str, *names: str) -> None:
    """Take some parts out of a kept answer, for whoever asks again. Safe to repeat."""
    for _ in range(ROUNDS):
        item = table.get(_key(hashed))
        seen = Answered.read(item).answer if item else None
        if seen is None or not seen.keys() & set(names):
            return
        kept = {name: part for name, part in seen.items() if name not in names}
        try:
            table.update(
                _key(hashed), put=Answered.named(answer=kept), when=Answered.attr("answer").eq(seen)
            )
        except ConditionFailed:
            continue
        return
    raise Transient("answer_contended")


def take_quota(
    table: Table, company_id: str, project_id: str, limits: Sequence[Limit]
) -> int | None:
    """Count one request of a project; None, or, where one of the *limits* is reached, the seconds to wait."""
    quotas = Quotas(table, lambda subject: key(Rate.partition("requests", subject)))
    free_at = quotas.take(f"{company_id}#{project_id}", limits)
    return None if free_at is None else -(-(free_at - clock.now_ms()) // clock.SECOND_MS)


def _key(hashed: str) -> Attributes:
    return key(Answered.partition(hashed))
