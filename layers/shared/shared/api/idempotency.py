"""
Makes a change once per key: Powertools Idempotency over the item that a context's own table has for a request.

    (nothing) --claim--> claimed by one call --change made--> answered, for all retries until the TTL
                          ^        |
                          |        +-- change failed --> (nothing)
                          +-- lease expired: a retry with the same content takes over

The lease has no fence around the change itself: changes must be safe to repeat.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, Self

from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer, IdempotencyConfig
from aws_lambda_powertools.utilities.idempotency.base import IdempotencyHandler
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
    IdempotencyPersistenceLayerError,
    IdempotencyValidationError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import (
    STATUS_CONSTANTS,
    DataRecord,
)
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import BotoCoreError, ClientError

from shared.api.errors import KeyReused, StillRunning
from shared.api.opaque_ids import NotOurs
from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.opaque_ids import Seal
    from shared.aws.dynamodb import Attributes, Table

type Answer = dict[str, Any]
_SEALED = "sealed"


class RequestItem(Protocol):
    """
    A context's item class for requests. It defines the key, the stored names of these fields, and the TTL.

    `fingerprint` is a hash of the content; `owner` and `lease_until` (ms since 1970) are set while a call makes the
    change, `answer` once it is made.
    """

    fingerprint: str
    owner: str | None
    lease_until: int | None
    answer: dict[str, Any] | None

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""
        ...

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new item as it is stored."""
        ...

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field, for conditions."""
        ...

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values under their stored names."""
        ...

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse a stored item."""
        ...


@dataclass(slots=True, eq=False)
class Requests:
    """
    Where an API stores its requests: the context's table, and the item class. With *seal* answers are stored sealed,
    since they hold personal data, which no erasure could find under the hash of a request.
    """

    table: Table
    kind: type[RequestItem]
    seal: Callable[[], Seal] | None = None

    def kept(self, request: str, answer: Answer) -> Answer:
        """Return an answer as it is stored with a request."""
        if self.seal is None:
            return answer
        return {_SEALED: self.seal().seal(to_json(answer), bound_to=_use(request))}

    def opened(self, request: str, stored: Answer) -> Answer:
        """Return a stored answer. Raises KeyReused if the secret of its seal was removed meanwhile."""
        if self.seal is None or _SEALED not in stored:
            return stored
        try:
            text = self.seal().open(str(stored[_SEALED]), bound_to=_use(request))
        except NotOurs:
            raise KeyReused("the answer to this Idempotency-Key cannot be read any more") from None
        answer: Answer = json.loads(text)
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedChange:
    """
    A requested change: *key* is a hash that identifies it, *fingerprint* a hash of its content.

    *owner* identifies this call; *remaining_ms* is its remaining time, and the length of its lease.
    """

    key: str = field(repr=False)
    fingerprint: str = field(repr=False)
    owner: str
    remaining_ms: int


def fingerprint(content: object) -> str:
    """Return a hash of a JSON value that does not depend on the order of keys."""
    return hashlib.sha256(to_json(content).encode()).hexdigest()


def once(requests: Requests, requested: RequestedChange, change: Callable[[], Answer]) -> Answer:
    """
    Call *change*, or return its stored answer. Raises KeyReused, StillRunning and any exception of *change*.

    A failed change releases the key at once. After a crash the key is free when the lease expires.
    """
    if requests.seal is not None:
        requests.seal()  # An unreadable secret ends the call before the change.
    claim = _Claim(requests, requested)
    guarded = IdempotencyHandler(
        function=change,
        function_payload={},
        config=IdempotencyConfig(),
        persistence_store=claim,
        function_args=(),
        function_kwargs={},
    )
    try:
        answer: Answer = guarded.handle()
    except IdempotencyValidationError:
        raise KeyReused("the Idempotency-Key was used for a call with other content") from None
    except IdempotencyAlreadyInProgressError:
        raise StillRunning("the same call is still in progress") from None
    except IdempotencyPersistenceLayerError as wrapped:
        # The library's exception embeds other exceptions' texts; its cause is more precise.
        raise (wrapped.__cause__ or wrapped) from None
    return answer


class _Claim(BasePersistenceLayer):
    """
    The item of one request, written for one call.

    Overridden because Powertools' own layer for DynamoDB has no owner: there, a call whose lease has expired overwrites
    the answer of the call that took over, or deletes its claim. It also compares the content only with answered
    requests, and writes its own attributes.
    """

    def __init__(self, requests: Requests, requested: RequestedChange) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # untyped in the library
        self._requests, self._table, self._kind = requests, requests.table, requests.kind
        self._requested = requested

    def save_inprogress(
        self,
        data: dict[str, Any],
        remaining_time_in_millis: int | None = None,  # noqa: ARG002 - callers without a Lambda context have it too
    ) -> None:
        """Claim the request for the remaining time of this call."""
        super().save_inprogress(data, self._requested.remaining_ms)

    def _get_hashed_idempotency_key(self, data: dict[str, Any]) -> str:  # noqa: ARG002 - the key is a hash already
        return self._requested.key

    def _put_record(self, data_record: DataRecord) -> None:  # noqa: ARG002 - the item has other names
        """Claim the request. Raises IdempotencyValidationError and IdempotencyItemAlreadyExistsError."""
        kind, requested, now = self._kind, self._requested, clock.now_ms()
        item = kind.claimed(
            requested.key,
            fingerprint=requested.fingerprint,
            owner=requested.owner,
            lease_until=now + requested.remaining_ms,
        )
        # DynamoDB deletes expired items late.
        is_expired = Attr(self._table.ttl_attribute).lte(now // clock.SECOND_MS)
        is_free = kind.attr("fingerprint").not_exists() | is_expired
        is_abandoned = kind.attr("answer").not_exists() & kind.attr("lease_until").lte(now)
        is_same = kind.attr("fingerprint").eq(requested.fingerprint)
        try:
            self._table.put(item, when=is_free | (is_abandoned & is_same))
        except ConditionFailed as refusal:
            stored = kind.read(refusal.existing or item)
            if stored.fingerprint != requested.fingerprint:
                raise IdempotencyValidationError from None
            # With this owner and no answer it is this call's own write, whose response was lost.
            if stored.answer is not None or stored.owner != requested.owner:
                record = _record(requested.key, self._opened(stored.answer))
                raise IdempotencyItemAlreadyExistsError(old_data_record=record) from None

    def _update_record(self, data_record: DataRecord) -> None:
        """Store the answer, unless another call has taken the request over: it stores its own."""
        answer = self._requests.kept(self._requested.key, json.loads(data_record.response_data))
        with suppress(ConditionFailed):
            self._table.update(
                self._kind.request_key(self._requested.key),
                put=self._kind.named(answer=answer),
                drop=list(self._kind.named(owner=None, lease_until=None)),
                when=self._kind.attr("owner").eq(self._requested.owner),
            )

    def _delete_record(self, data_record: DataRecord) -> None:  # noqa: ARG002 - see _put_record
        """
        Release the request after a failed change, unless another call has taken it over.

        A failure to release is ignored: the caller gets the error of the change, and the lease expires by itself.
        """
        with suppress(ConditionFailed, ClientError, BotoCoreError):
            self._table.delete(
                self._kind.request_key(self._requested.key),
                when=self._kind.attr("owner").eq(self._requested.owner),
            )

    def _opened(self, stored: Answer | None) -> Answer | None:
        return None if stored is None else self._requests.opened(self._requested.key, stored)

    def _get_record(self, idempotency_key: str) -> DataRecord:
        # Not called: `_put_record` passes on the existing item.
        raise IdempotencyItemNotFoundError(idempotency_key)


def _record(key: str, answer: Answer | None) -> DataRecord:
    """Convert an item to the library's record. Without times: `_Claim` checks expiry, with `shared.runtime.clock`."""
    if answer is None:
        return DataRecord(key, status=STATUS_CONSTANTS["INPROGRESS"])
    text = json.dumps(answer, default=_number)
    return DataRecord(key, status=STATUS_CONSTANTS["COMPLETED"], response_data=text)


def _use(request: str) -> str:
    return f"stored answer {request}"


def _number(value: object) -> int | float:
    """Convert a number of DynamoDB to a JSON number."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return int(value) if value == value.to_integral_value() else float(value)
