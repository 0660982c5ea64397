"""
The lease on an event: Powertools Idempotency over rp_mw_idempotency, with the fence that the library lacks.

    (nothing) --claim--> processing --finish--> processed | parked
                          ^      |
                          +------+ raised, or the lease expired: the next delivery takes over and rolls forward

The row is written before the first step and finished after the last: only `processed` and `parked` stop a delivery.
Every step in between is safe to repeat by itself; the lease saves work and provider calls. `shared.aws.tables.leases`
makes every write conditional on the owner, so that a worker whose lease expired neither finishes nor frees a row of
another worker.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from aws_lambda_powertools.utilities.idempotency import (
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
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

from richpanel.store.items import Event, EventStatus, key_of
from shared.aws.dynamodb import Table
from shared.aws.tables import leases
from shared.runtime import clock


class Finish(BaseModel):
    """The end of an event: the content of the last write, and all that is stored of the result."""

    status: Literal[EventStatus.PROCESSED, EventStatus.PARKED]
    intent: str | None = None
    reason: str | None = None


class Lease(BasePersistenceLayer):
    """
    Claims and finishes event rows in *table*. Create one instance per guarded function.

    Where the library cannot express a rule, this class overrides it:

    - The key is stored as the contract prints it; the library would hash and prefix it.
    - A row holds the contract's attributes, all in the data of the claim; a record of the library has only its own.
    - The lease ends with `shared.runtime.clock` and after a grace period; the library compares with its own clock.
    - A held lease raises `shared.aws.tables.leases.Held` with the time to wait; the library's exception has none.
    - Failed work frees the row but keeps it: the library would delete it, and with it the first claim's time and the
      number of attempts.
    - Of the guarded function's result only the end is stored, never a response.
    """

    def __init__(self, table: Table) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # untyped in the library
        self._leases = leases.Leases(table, Event.lease)
        self._mine: Event | None = None

    @property
    def mine(self) -> Event:
        """The row that this worker holds."""
        if self._mine is None:
            raise leases.LeaseLost
        return self._mine

    @property
    def _owner(self) -> str:
        return str(self.mine.lease_owner)

    def save_inprogress(
        self, data: Mapping[str, Any], remaining_time_in_millis: int | None = None
    ) -> None:
        """Claim the row that *data* describes, for as long as this invocation can run."""
        if remaining_time_in_millis is None:
            raise ValueError("the lease requires the Lambda context for its duration")
        until = leases.expiry(remaining_time_in_millis)
        self._mine = Event.read({**data, "lease_until": until})
        super().save_inprogress(dict(data), remaining_time_in_millis)

    def _get_hashed_idempotency_key(self, data: dict[str, Any]) -> str:
        key = data.get(Event.partition_key)
        if not key:
            raise IdempotencyKeyError("the event id is missing")
        return str(key)

    def _put_record(self, data_record: DataRecord) -> None:
        """Claim the row, or take it over. Raises Held, and the library's error if the row is finished."""
        key, row = data_record.idempotency_key, self.mine
        again = Event.named(last_processed_at=row.last_processed_at)
        try:
            stored = self._leases.acquire(key_of(Event, key), row.attributes(), again=again)
        except leases.Finished:
            done = DataRecord(idempotency_key=key, status=STATUS_CONSTANTS["COMPLETED"])
            raise IdempotencyItemAlreadyExistsError(old_data_record=done) from None
        self._mine = Event.read(stored)

    def _get_record(self, idempotency_key: str) -> DataRecord:  # noqa: ARG002 - of the library's interface
        """Not called by the library, since a refused claim carries the existing record."""
        raise IdempotencyItemNotFoundError

    def _update_record(self, data_record: DataRecord) -> None:
        """Finish the row. Raises LeaseLost."""
        finish = Finish.model_validate_json(data_record.response_data)
        facts = Event.named(
            status=finish.status,
            intent=finish.intent,
            reason=finish.reason,
            last_processed_at=clock.to_text(clock.now_ms()),
        )
        self._leases.finish(key_of(Event, data_record.idempotency_key), self._owner, facts)

    def _delete_record(self, data_record: DataRecord) -> None:
        """Free the row for the next delivery, at once."""
        self._leases.release(key_of(Event, data_record.idempotency_key), self._owner)


def hold(
    lease: Lease, row: Event, context: LambdaContext, work: Callable[[Event], Finish]
) -> Finish | None:
    """
    Run *work* with the event's row under an exclusive lease, and finish the row; None if it was finished before.

    Raises Held while another worker may be alive, LeaseLost if one took over, and any exception of *work*.
    """
    end: Finish | None = None

    def handle(*, row: Event) -> dict[str, Any]:  # noqa: ARG001 - the library claims the row by this argument
        nonlocal end
        end = work(lease.mine)
        return end.model_dump(mode="json")

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
    except IdempotencyPersistenceLayerError as wrapped:
        # The library's exception embeds other exceptions' texts; its cause is more precise.
        raise (wrapped.__cause__ or wrapped) from None
    return end
