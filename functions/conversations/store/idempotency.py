"""
Idempotency records of API requests.

A request is claimed with a lease but without a fence: the work behind it is idempotent by its own keys.
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
    """Raised when the same id was used for a different request."""


class InProgress(Exception):
    """Raised when the same request is still being processed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer a request until `finish` or `release`; *answer* is set if it was answered before."""

    hashed: str
    owner: str
    answer: Answer | None = field(default=None, repr=False)


def claim(table: Table, hashed: str, fingerprint: str, *, owner: str, remaining_ms: int) -> Claim:
    """
    Claim a request by the hash of its id; *owner* identifies this call, *remaining_ms* is the length of the lease.

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
        if found.owner != owner:  # Otherwise it is this call's own write, whose response was lost.
            raise InProgress from None
    return Claim(hashed, owner)


def finish(table: Table, held: Claim, answer: Answer) -> None:
    """Store the answer for retries. Not conditional on the owner: a call that took over gives the same answer."""
    table.update(
        _key(held.hashed),
        put=Answered.named(answer=answer, ttl=Answered.time_to_live()),
        drop=["owner", "lease_until"],
        when=Answered.attr("fingerprint").exists(),
    )


def release(table: Table, held: Claim) -> None:
    """Delete a claim, so that a refused or failed request can be retried at once."""
    try:
        table.delete(_key(held.hashed), when=Answered.attr("owner").eq(held.owner))
    except ConditionFailed:
        return  # Another call holds the claim now.


def forget(table: Table, hashed: str, *names: str) -> None:
    """Remove the parts *names* from a stored answer; later retries get the rest. Raises Transient. Idempotent."""
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
    """Count one request of a project; return None or, if one of the *limits* is reached, the seconds to wait."""
    quotas = Quotas(table, lambda subject: key(Rate.partition("requests", subject)))
    free_at = quotas.take(f"{company_id}#{project_id}", limits)
    return None if free_at is None else -(-(free_at - clock.now_ms()) // clock.SECOND_MS)


def _key(hashed: str) -> Attributes:
    return key(Answered.partition(hashed))
