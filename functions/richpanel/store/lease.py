"""
The lease on an event: Powertools Idempotency over rp_mw_idempotency, with the fence that the library lacks.

    (nothing) --claim--> processing --finish--> processed | parked
                          ^      |
                          +------+ raised, or the lease expired: the next delivery takes over and rolls forward

The row is written before the first step and finished after the last: only `processed` and `parked` stop a delivery.
Every step in between is safe to repeat by itself; the lease saves work and provider calls. The condition on the owner
prevents a worker whose lease expired from finishing, or freeing, a row that another worker holds.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from aws_lambda_powertools.utilities.idempotency import (
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
    IdempotencyKeyError,
    IdempotencyPersistenceLayerError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.base import BasePersistenceLayer
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import (
    STATUS_CONSTANTS,
    DataRecord,
)
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel

from richpanel.store.items import TTL_ATTRIBUTE, Event, EventStatus, key_of
from shared import clock
from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient

# A worker cannot outlive its timeout; the grace covers clock skew.
GRACE_MS = 5 * clock.SECOND_MS
AFTER_LEASE_MS = clock.SECOND_MS


class Finish(BaseModel):
    """How an event ended: the content of the last write, and all that is stored of the result."""

    status: Literal[EventStatus.PROCESSED, EventStatus.PARKED]
    intent: str | None = None
    reason: str | None = None


class Held(Transient):
    """Another worker may still be processing this event; after *wait_ms* its lease has expired."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__("lease_held", wait_ms)


class LeaseLost(Transient):
    """Another worker took over this event: this one must not write anything more for it."""

    def __init__(self) -> None:
        super().__init__("lease_lost")


type Work = Callable[[Event], Finish]


class Lease(BasePersistenceLayer):
    """
    Claims and finishes event rows in *table*. Create one instance per guarded function.

    A record of the library is an event row: the key is stored as the contract prints it, never hashed, and of the
    guarded function's result only the end is stored.
    """

    def __init__(self, table: Table) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # untyped in the library
        self._table = table
        self._mine: Event | None = None
        self._found: Event | None = None

    @property
    def mine(self) -> Event:
        """The row that this worker holds."""
        if self._mine is None:
            raise LeaseLost
        return self._mine

    @property
    def found(self) -> Event | None:
        """The row that prevented the claim: finished, or held by another worker."""
        return self._found

    def save_inprogress(
        self, data: Mapping[str, Any], remaining_time_in_millis: int | None = None
    ) -> None:
        """Claim the row that *data* describes, for as long as this invocation can run."""
        if remaining_time_in_millis is None:
            raise ValueError("the lease requires the Lambda context for its duration")
        until = clock.now_ms() + remaining_time_in_millis + GRACE_MS
        self._mine, self._found = Event.read({**data, "lease_until": until}), None
        super().save_inprogress(dict(data), remaining_time_in_millis)

    def _get_hashed_idempotency_key(self, data: dict[str, Any]) -> str:
        key = data.get(Event.partition_key)
        if not key:
            raise IdempotencyKeyError("the event id is missing")
        return str(key)

    def _put_record(self, data_record: DataRecord) -> None:  # noqa: ARG002 - the row holds more than the record
        row = self.mine
        try:
            self._table.put(row.attributes(), when=Event.attr(Event.partition_key).not_exists())
        except ConditionFailed as refusal:
            self._mine = self._taken_over(row, Event.read(refusal.existing or {}))

    def _taken_over(self, row: Event, found: Event) -> Event:
        """Take the row over once its worker's lease has expired. Raises IdempotencyItemAlreadyExistsError."""
        if found.lease_owner == row.lease_owner:
            return found  # This worker's own write; its response was lost.
        if clock.is_over(found.expires_at):
            return self._replaced(row, found)
        is_held = (found.lease_until or 0) > clock.now_ms()
        if found.status != EventStatus.PROCESSING or is_held:
            self._found = found
            raise IdempotencyItemAlreadyExistsError(old_data_record=_record(found))
        facts = Event.named(
            lease_owner=row.lease_owner,
            lease_until=row.lease_until,
            attempts=found.attempts + 1,
            last_processed_at=row.last_processed_at,
        )
        seen = Event.attr("lease_owner").eq(found.lease_owner)
        same = seen & Event.attr("lease_until").eq(found.lease_until)
        try:
            taken = self._table.update(key_of(Event, row.event_id), put=facts, when=same)
        except ConditionFailed as refusal:
            faster = Event.read(refusal.existing or {})
            if faster.lease_owner == row.lease_owner:
                return faster
            self._found = faster
            raise IdempotencyItemAlreadyExistsError(old_data_record=_record(faster)) from None
        return Event.read(taken)

    def _replaced(self, row: Event, dead: Event) -> Event:
        """Replace a row that has expired and that DynamoDB has not deleted yet."""
        try:
            self._table.put(row.attributes(), when=Event.attr(TTL_ATTRIBUTE).eq(dead.expires_at))
        except ConditionFailed as refusal:
            faster = Event.read(refusal.existing or {})
            if faster.lease_owner == row.lease_owner:
                return faster
            self._found = faster
            raise IdempotencyItemAlreadyExistsError(old_data_record=_record(faster)) from None
        return row

    def _get_record(self, idempotency_key: str) -> DataRecord:
        item = self._table.get(key_of(Event, idempotency_key))
        if item is None:
            raise IdempotencyItemNotFoundError
        self._found = Event.read(item)
        return _record(self._found)

    def _update_record(self, data_record: DataRecord) -> None:
        """Finish the row. Raises LeaseLost."""
        finish = Finish.model_validate_json(data_record.response_data)
        facts = Event.named(
            status=finish.status,
            intent=finish.intent,
            reason=finish.reason,
            last_processed_at=clock.to_text(clock.now_ms()),
        )
        mine = Event.attr("lease_owner").eq(self.mine.lease_owner)
        try:
            self._table.update(
                key_of(Event, self.mine.event_id),
                put=facts,
                drop=["lease_owner", "lease_until"],
                when=mine,
            )
        except ConditionFailed as refusal:
            existing = Event.read(refusal.existing) if refusal.existing else None
            # Finished: possibly by this very write, whose response was lost. Held by another worker: the lease is lost.
            if existing is None or existing.status == EventStatus.PROCESSING:
                raise LeaseLost from None

    def _delete_record(self, data_record: DataRecord) -> None:  # noqa: ARG002 - see _put_record
        """Free the row after an exception: it is not deleted, and the next delivery may take over at once."""
        row = self.mine
        mine = Event.attr("lease_owner").eq(row.lease_owner)
        try:
            self._table.update(
                key_of(Event, row.event_id), put=Event.named(lease_until=0), when=mine
            )
        except ConditionFailed:
            return  # Another worker holds it, or it is finished.


def hold(lease: Lease, row: Event, context: LambdaContext, work: Work) -> bool:
    """
    Run *work* with the event's row under an exclusive lease, and finish the row; False if it was finished before.

    Raises Held while another worker may be alive, LeaseLost if one took over, and any exception of *work*.
    """
    worked = False

    def handle(*, row: Event) -> dict[str, Any]:  # noqa: ARG001 - the library claims the row by this argument
        nonlocal worked
        worked = True
        return work(lease.mine).model_dump(mode="json")

    config = IdempotencyConfig(
        event_key_jmespath=Event.partition_key,
        raise_on_no_idempotency_key=True,
        expires_after_seconds=Event.ttl_days * clock.DAY_SECONDS,
        lambda_context=context,
    )
    guarded = idempotent_function(
        handle,
        data_keyword_argument="row",
        persistence_store=lease,
        config=config,
        key_prefix="richpanel",
    )
    try:
        guarded(row=row)
    except IdempotencyAlreadyInProgressError:
        until = (lease.found.lease_until or 0) if lease.found else 0
        raise Held(max(0, until - clock.now_ms()) + AFTER_LEASE_MS) from None
    except IdempotencyPersistenceLayerError as wrapped:
        # The library's exception embeds other exceptions' texts; its cause is more precise.
        raise (wrapped.__cause__ or wrapped) from None
    return worked


def _record(row: Event) -> DataRecord:
    """Convert a row to the library's record. Without times: this module checks expiry, with its own clock."""
    is_held = row.status == EventStatus.PROCESSING
    return DataRecord(
        idempotency_key=row.event_id,
        status=STATUS_CONSTANTS["INPROGRESS" if is_held else "COMPLETED"],
    )
