"""A DynamoDB table client: items as plain Python values, and condition failures with the existing item."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import ConditionExpressionBuilder
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError

from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import count_condition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase
    from mypy_boto3_dynamodb import DynamoDBClient

# Attribute names (as in the contract) to values. Used only in this module, stores and item classes.
type Attributes = dict[str, Any]

_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize

BATCH_ATTEMPTS = 4
MOST_IN_TRANSACTION = 100  # writes of TransactWriteItems
_CONFLICT_WAIT_MS = 25
_MOST_WAIT_MS = 200
_CONFLICTS_WITHIN_MS = 3_000
# Reasons of a cancelled transaction that a retry may pass. The writes without a fault have the reason "None".
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
MOST_IN_BATCH = 100  # keys of BatchGetItem
TTL_ATTRIBUTE = "ttl"  # the default name; epoch seconds
# "Item size has exceeded the maximum allowed size", "Size of hashkey has exceeded the maximum size limit of2048 bytes"
_THROTTLED = frozenset(
    {"ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"}
)
_HOT_INDEX = "IndexWriteKeyRangeThroughputExceeded"
_SERVER_ERROR = 500
_TOO_LARGE = re.compile(r"size (?:has exceeded|to update has exceeded)|size limit", re.IGNORECASE)


class ConditionFailed(Exception):
    """The write's condition did not hold. *existing* is the stored item, None if there is none."""

    def __init__(self, existing: Attributes | None) -> None:
        super().__init__("condition failed")
        self.existing = existing


class TransactionRefused(Exception):
    """A transaction changed nothing: the conditions of its writes at these *positions* did not hold."""

    def __init__(self, positions: frozenset[int]) -> None:
        super().__init__("condition failed")
        self.positions = positions


class TransactionConflict(Transient):
    """A transaction changed nothing: another write to one of its items was under way, or it was throttled."""

    def __init__(self) -> None:
        super().__init__("transaction_conflict")


class Table:
    """
    A table addressed by whole keys (a dict of its key attributes).

    DynamoDB deletes items up to two days after they expire; reads through this class skip expired items.

    `consumed_write_units` sums the write capacity reported by AWS, indexes included, until `forget_consumption`.
    """

    def __init__(
        self, client: DynamoDBClient, name: str, ttl_attribute: str = TTL_ATTRIBUTE
    ) -> None:
        self._client = client
        self.name = name
        self.ttl_attribute = ttl_attribute
        self.consumed_write_units = 0.0
        # After every attempt; the SDK repeats most failed ones, and then no error shows that the table is in trouble.
        client.meta.events.register(
            "needs-retry.dynamodb", _count_failed_attempt, unique_id="count-failed-attempts"
        )

    def beside(self, name: str) -> Table:
        """Return another table, which the same client reaches."""
        return Table(self._client, name)

    @property
    def source(self) -> Table:
        """The table that is read: itself, unless items of a batch stand before it."""
        return self

    def forget_consumption(self) -> None:
        """Reset the counter for the next event."""
        self.consumed_write_units = 0.0

    def get(self, key: Attributes) -> Attributes | None:
        """Read one item, strongly consistent; None if it does not exist or has expired."""
        answer = _call(
            self._client.get_item, TableName=self.name, Key=_encoded(key), ConsistentRead=True
        )
        item = _decoded(answer["Item"]) if "Item" in answer else None
        return item if item and not clock.is_over(item.get(self.ttl_attribute)) else None

    def get_many(self, keys: Sequence[Attributes]) -> list[Attributes]:
        """
        Read items, strongly consistent and unordered; missing ones are omitted. One call per hundred keys.

        Raises Transient if DynamoDB repeatedly leaves keys unprocessed.
        """
        items: list[Attributes] = []
        for first in range(0, len(keys), MOST_IN_BATCH):
            items += self._get_at_once(keys[first : first + MOST_IN_BATCH])
        return [item for item in items if not clock.is_over(item.get(self.ttl_attribute))]

    def _get_at_once(self, keys: Sequence[Attributes]) -> list[Attributes]:
        """Read up to a hundred items; retries keys left unprocessed because of the size limit (16 MB) or throttling."""
        items: list[Attributes] = []
        remaining_keys: Any = [_encoded(key) for key in keys]
        for _ in range(BATCH_ATTEMPTS):
            answer = _call(
                self._client.batch_get_item,
                RequestItems={self.name: {"Keys": remaining_keys, "ConsistentRead": True}},
            )
            items += [_decoded(item) for item in answer["Responses"].get(self.name, [])]
            if self.name not in answer["UnprocessedKeys"]:
                return items
            remaining_keys = answer["UnprocessedKeys"][self.name]["Keys"]
        raise Transient("batch_get_throttled")

    def put(self, item: Attributes, *, when: ConditionBase | None = None) -> None:
        """Write a whole item. Raises ConditionFailed when *when* does not hold."""
        # The condition also fails when our own first attempt succeeded and its response was lost; callers handle that.
        arguments = self._conditional(when)
        answer = _call(
            self._client.put_item,
            TableName=self.name,
            Item=_encoded(item),
            ReturnConsumedCapacity="TOTAL",
            **arguments,
        )
        self._count(answer)

    def put_many(self, items: Sequence[Attributes]) -> None:
        """
        Write up to 25 whole items in one call, replacing existing ones. Raises Transient if some stay unprocessed.

        Unconditional: only for items that can be rewritten safely.
        """
        remaining: Any = [{"PutRequest": {"Item": _encoded(item)}} for item in items]
        for _ in range(BATCH_ATTEMPTS):
            if not remaining:
                return
            answer = _call(
                self._client.batch_write_item,
                RequestItems={self.name: remaining},
                ReturnConsumedCapacity="TOTAL",
            )
            for consumed in answer.get("ConsumedCapacity", []):
                self.consumed_write_units += consumed.get("CapacityUnits", 0.0)
            remaining = answer["UnprocessedItems"].get(self.name, [])
        raise Transient("batch_write_throttled")

    def update(
        self,
        key: Attributes,
        *,
        put: Mapping[str, Any] | None = None,
        put_once: Mapping[str, Any] | None = None,
        add: Mapping[str, Any] | None = None,
        append: Mapping[str, list[Any]] | None = None,
        drop: Sequence[str] = (),
        take_from_set: Mapping[str, set[str]] | None = None,
        when: ConditionBase | None = None,
    ) -> Attributes:
        """
        Change some attributes of an item and return the whole updated item.

        *put* sets (None values are skipped), *put_once* sets absent attributes, *add* adds numbers or set members,
        *append* extends lists, *drop* removes attributes, *take_from_set* removes set members. Raises ConditionFailed.
        """
        parts = _Parts()
        values_to_set = {name: value for name, value in (put or {}).items() if value is not None}
        sets = [f"{parts.name(n)} = {parts.value(n, value)}" for n, value in values_to_set.items()]
        for n, value in (put_once or {}).items():
            sets.append(
                f"{parts.name(n)} = if_not_exists({parts.name(n)}, {parts.value(n, value)})"
            )
        sets += [parts.extended(n, value) for n, value in (append or {}).items()]
        expression = _clauses(
            SET=sets,
            ADD=[f"{parts.name(n)} {parts.value(n, value)}" for n, value in (add or {}).items()],
            REMOVE=[parts.name(n) for n in drop],
            DELETE=[
                f"{parts.name(n)} {parts.value(n, v)}" for n, v in (take_from_set or {}).items()
            ],
        )
        arguments = self._conditional(when, names=parts.names, values=parts.values)
        answer = _call(
            self._client.update_item,
            TableName=self.name,
            Key=_encoded(key),
            UpdateExpression=expression,
            ReturnValues="ALL_NEW",
            ReturnConsumedCapacity="TOTAL",
            **arguments,
        )
        self._count(answer)
        return _decoded(answer["Attributes"])

    def delete(self, key: Attributes, *, when: ConditionBase | None = None) -> None:
        """Delete an item; a missing item is no error unless *when* requires it. Raises ConditionFailed."""
        answer = _call(
            self._client.delete_item,
            TableName=self.name,
            Key=_encoded(key),
            ReturnConsumedCapacity="TOTAL",
            **self._conditional(when),
        )
        self._count(answer)

    def transact(self, *writes: Attributes) -> None:
        """
        Make all *writes* or none: results of `to_put`, `to_update`, `to_delete` and `to_check`. Costs twice the units.

        Raises TransactionRefused if a condition does not hold, Transient after 3 s of conflicts with other writes to
        the same items or of throttling, Permanent (`too_large`) as other writes do, and ClientError. The SDK's own
        retries have no second effect: it sends a token.
        """
        repeated(lambda: self.transact_once(*writes))

    def transact_once(self, *writes: Attributes) -> None:
        """Make all *writes* or none, as `transact`; raises TransactionConflict after the first conflict."""
        items: Any = list(writes)  # Attributes are not typed by operation.
        try:
            answer = self._client.transact_write_items(
                TransactItems=items, ReturnConsumedCapacity="TOTAL"
            )
        except ClientError as error:
            _check_retry(error)
            raise TransactionConflict from None
        for consumed in answer.get("ConsumedCapacity", []):
            self.consumed_write_units += consumed.get("CapacityUnits", 0.0)

    def to_put(self, item: Attributes, *, when: ConditionBase | None = None) -> Attributes:
        """Return the write of a whole item for `transact`."""
        return {"Put": self._of_transaction({"Item": _encoded(item)}, when)}

    def to_delete(self, key: Attributes, *, when: ConditionBase | None = None) -> Attributes:
        """Return the deletion of an item for `transact`."""
        return {"Delete": self._of_transaction({"Key": _encoded(key)}, when)}

    def to_check(self, key: Attributes, *, when: ConditionBase) -> Attributes:
        """Return a condition on an item that the transaction does not change, for `transact`."""
        return {"ConditionCheck": self._of_transaction({"Key": _encoded(key)}, when)}

    def to_update(
        self,
        key: Attributes,
        *,
        put: Mapping[str, Any] | None = None,
        add: Mapping[str, Any] | None = None,
        append: Mapping[str, list[Any]] | None = None,
        drop: Sequence[str] = (),
        take_from_set: Mapping[str, set[str]] | None = None,
        when: ConditionBase | None = None,
    ) -> Attributes:
        """Return a change of some attributes for `transact`; all parameters as in `update`."""
        parts = _Parts()
        sets = [f"{parts.name(n)} = {parts.value(n, v)}" for n, v in (put or {}).items()]
        sets += [parts.extended(n, value) for n, value in (append or {}).items()]
        expression = _clauses(
            SET=sets,
            ADD=[f"{parts.name(n)} {parts.value(n, v)}" for n, v in (add or {}).items()],
            REMOVE=[parts.name(n) for n in drop],
            DELETE=[
                f"{parts.name(n)} {parts.value(n, v)}" for n, v in (take_from_set or {}).items()
            ],
        )
        write = {"Key": _encoded(key), "UpdateExpression": expression}
        return {"Update": self._of_transaction(write, when, parts)}

    def _of_transaction(
        self, write: Attributes, when: ConditionBase | None, parts: _Parts | None = None
    ) -> Attributes:
        names, values = (parts.names, parts.values) if parts else (None, None)
        arguments = self._conditional(when, names=names, values=values)
        arguments.pop("ReturnValuesOnConditionCheckFailure", None)
        return {"TableName": self.name, **write, **arguments}

    def query(
        self,
        index: str | None,
        condition: ConditionBase,
        *,
        limit: int | None = None,
        start: Attributes | None = None,
        newest_first: bool = False,
        only: ConditionBase | None = None,
        fields: Sequence[str] = (),
    ) -> tuple[list[Attributes], Attributes | None]:
        """
        Return one page of an index and the key to continue from, None on the last page. An index is eventually
        consistent; the table itself (*index* None) is strongly consistent. *limit* counts the entries that are read,
        before *only* leaves some of them out. *fields*: the attributes to return; none: all of them.
        """
        builder = ConditionExpressionBuilder()
        built = builder.build_expression(condition, is_key_condition=True)
        names = dict(built.attribute_name_placeholders)
        values = dict(built.attribute_value_placeholders)
        optional: dict[str, Any] = {"IndexName": index} if index else {"ConsistentRead": True}
        if limit is not None:
            optional["Limit"] = limit
        if start is not None:
            optional["ExclusiveStartKey"] = _encoded(start)
        if only is not None:
            kept = builder.build_expression(only)
            optional["FilterExpression"] = kept.condition_expression
            names |= kept.attribute_name_placeholders
            values |= kept.attribute_value_placeholders
        if fields:
            optional["ProjectionExpression"] = ", ".join(f"#{name}" for name in fields)
            names |= {f"#{name}": name for name in fields}
        answer = self._client.query(
            TableName=self.name,
            KeyConditionExpression=built.condition_expression,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=_encoded(values),
            ScanIndexForward=not newest_first,
            **optional,
        )
        last = answer.get("LastEvaluatedKey")
        return [_decoded(item) for item in answer["Items"]], _decoded(last) if last else None

    def _conditional(
        self,
        when: ConditionBase | None,
        names: dict[str, str] | None = None,
        values: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        names, values = dict(names or {}), dict(values or {})
        arguments: dict[str, Any] = {}
        if when is not None:
            built = ConditionExpressionBuilder().build_expression(when)
            names |= built.attribute_name_placeholders
            values |= _encoded(built.attribute_value_placeholders)
            arguments["ConditionExpression"] = built.condition_expression
            arguments["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if names:
            arguments["ExpressionAttributeNames"] = names
        if values:
            arguments["ExpressionAttributeValues"] = values
        return arguments

    def _count(self, answer: Mapping[str, Any]) -> None:
        self.consumed_write_units += answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)


class _Parts:
    """Placeholders of an update: `from`, `type`, `ttl` and many more names are reserved words of DynamoDB."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, name: str) -> str:
        self.names[f"#{name}"] = name
        return f"#{name}"

    def value(self, name: str, value: Any) -> str:  # noqa: ANN401 - any DynamoDB value
        placeholder = f":{name}{len(self.values)}"
        self.values[placeholder] = _serialize(_storable(value))
        return placeholder

    def extended(self, name: str, value: list[Any]) -> str:
        """The assignment that appends to a list, or begins it."""
        old = f"if_not_exists({self.name(name)}, {self.value(name, [])})"
        return f"{self.name(name)} = list_append({old}, {self.value(name, value)})"


def _clauses(**clauses: list[str]) -> str:
    return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)


def repeated[Answer](attempt: Callable[[], Answer]) -> Answer:
    """Return the answer of an attempt; while it raises TransactionConflict, repeat it for 3 s with random waits."""
    waited_ms = 0
    most_ms = _CONFLICT_WAIT_MS
    while True:
        try:
            return attempt()
        except TransactionConflict:
            if waited_ms >= _CONFLICTS_WITHIN_MS:
                raise
        wait_ms = random.randint(most_ms // 2, most_ms)  # noqa: S311 - spreads retries
        clock.sleep_ms(wait_ms)
        waited_ms += wait_ms
        most_ms = min(2 * most_ms, _MOST_WAIT_MS)


def _call[Answer](operation: Callable[..., Answer], **arguments: Any) -> Answer:  # noqa: ANN401 - the SDK's
    """Call the SDK and translate its errors."""
    try:
        return operation(**arguments)
    except ClientError as error:
        raise _refusal(error) from None


def _check_retry(error: ClientError) -> None:
    """Return if a repeated transaction may pass; otherwise raise the translated *error*."""
    code = error.response["Error"]["Code"]
    if code == "TransactionInProgressException":
        return  # A retry of the SDK met its own first attempt.
    if code != "TransactionCanceledException":
        raise _refusal(error) from None
    reasons: list[Mapping[str, Any]] = error.response.get("CancellationReasons") or []  # type: ignore[assignment]  # not in the SDK's types of an error
    codes = [reason.get("Code", "None") for reason in reasons]
    failed = [at for at, reason in enumerate(codes) if reason == "ConditionalCheckFailed"]
    if failed:
        raise TransactionRefused(frozenset(failed)) from None
    if any(_TOO_LARGE.search(reason.get("Message") or "") for reason in reasons):
        raise Permanent("too_large") from None
    if not codes or not set(codes) <= _PASSING | {"None"}:
        raise error from None


def has_hot_partition(error: ClientError, index: str) -> bool:
    """Whether a write was throttled because it met the throughput limit of one partition of an index."""
    reasons: list[Mapping[str, Any]] = error.response.get("ThrottlingReasons") or []  # type: ignore[assignment]  # not in the SDK's types of an error
    return any(
        reason.get("reason") == _HOT_INDEX
        and str(reason.get("resource", "")).endswith(f"/index/{index}")
        for reason in reasons
    )


def _count_failed_attempt(response: tuple[Any, dict[str, Any]] | None = None, **_: object) -> None:
    """Count a throttled attempt, and one that DynamoDB answered with a server error. *response* is None without any."""
    if response is None:
        return
    http, parsed = response
    if parsed.get("Error", {}).get("Code") in _THROTTLED:
        count_condition("TableThrottled")
    elif http.status_code >= _SERVER_ERROR:
        count_condition("TableFailed")


def _refusal(error: ClientError) -> Exception:
    """
    Translate a ClientError: ConditionFailed; Permanent (`too_large`) for an item or key above DynamoDB's limits, since
    a retry cannot succeed; otherwise the error itself.
    """
    details = error.response["Error"]
    if details["Code"] == "ConditionalCheckFailedException":
        existing: Any = error.response.get("Item")
        return ConditionFailed(_decoded(existing) if existing else None)
    if details["Code"] == "ValidationException" and _TOO_LARGE.search(details["Message"]):
        return Permanent("too_large")
    return error


def _encoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _serialize(_storable(value)) for name, value in attributes.items()}


def _decoded(attributes: Mapping[str, Any]) -> Attributes:
    # Most values are texts; the SDK takes seven times as long for them.
    return {
        name: value["S"] if "S" in value else _deserialize(value)
        for name, value in attributes.items()
    }


def _storable(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """
    Convert floats to decimals of their shortest text (the SDK refuses floats), and leave out empty sets in maps, which
    DynamoDB refuses. Recursive.
    """
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {key: _storable(entry) for key, entry in value.items() if entry != set()}
    if isinstance(value, list):
        return [_storable(entry) for entry in value]
    return value
