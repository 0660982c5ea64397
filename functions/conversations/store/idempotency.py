"""Answers to API requests after the request (`shared.api.idempotency` writes them), and requests per project."""

from collections.abc import Sequence

from conversations.store.items.base import key
from conversations.store.items.records import Answered, Rate
from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from shared.rate_limits.fixed_window import Quotas
from shared.rate_limits.limit import Limit
from shared.runtime import clock

ROUNDS = 4


def forget(table: Table, hashed: str, *names: str) -> None:
    """Remove the parts *names* from a stored answer; later retries get the rest. Raises Transient. Idempotent."""
    for _ in range(ROUNDS):
        item = table.get(Answered.request_key(hashed))
        seen = Answered.read(item).answer if item else None
        if seen is None or not seen.keys() & set(names):
            return
        remaining = {name: part for name, part in seen.items() if name not in names}
        try:
            table.update(
                Answered.request_key(hashed),
                put=Answered.named(answer=remaining),
                when=Answered.attr("answer").eq(seen),
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
