"""A DynamoDB table client: items as plain Python values, and condition failures with the existing item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.aws.dynamodb import expressions, failures, observed_calls
from shared.aws.dynamodb.failures import TransactionConflict, call
from shared.aws.dynamodb.values import Attributes, decoded, encoded
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH_ATTEMPTS = 4
MOST_IN_TRANSACTION = 100  # writes of TransactWriteItems
MOST_IN_BATCH = 100  # keys of BatchGetItem
TTL_ATTRIBUTE = "ttl"  # the default name; epoch seconds


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
            "needs-retry.dynamodb", failures.count_failed_attempt, unique_id="count-failed-attempts"
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
        answer = call(
            self._client.get_item, TableName=self.name, Key=encoded(key), ConsistentRead=True
        )
        item = decoded(answer["Item"]) if "Item" in answer else None
        observed_calls.saw([item]) if item else observed_calls.missed(key)
        return item if item and not clock.is_over(item.get(self.ttl_attribute)) else None

    def get_many(
        self,
        keys: Sequence[Attributes],
        *,
        is_consistent: bool = True,
        fields: Sequence[str] = (),
    ) -> list[Attributes]:
        """
        Read items, strongly consistent and unordered; missing ones are omitted. One call per hundred keys.

        *is_consistent* false: for half the cost, writes of the last second may be missing. *fields*: as in `query`.

        Raises Transient if DynamoDB repeatedly leaves keys unprocessed.
        """
        items: list[Attributes] = []
        for first in range(0, len(keys), MOST_IN_BATCH):
            batch = keys[first : first + MOST_IN_BATCH]
            items += self._get_at_once(batch, fields, is_consistent=is_consistent)
        observed_calls.saw([] if fields else items)
        return [item for item in items if not clock.is_over(item.get(self.ttl_attribute))]

    def _get_at_once(
        self, keys: Sequence[Attributes], fields: Sequence[str], *, is_consistent: bool
    ) -> list[Attributes]:
        """Read up to a hundred items; retries keys left unprocessed because of the size limit (16 MB) or throttling."""
        items: list[Attributes] = []
        remaining_keys: Any = [encoded(key) for key in keys]
        how = {"ConsistentRead": is_consistent, **expressions.of_projection(fields)}
        for _ in range(BATCH_ATTEMPTS):
            answer = call(
                self._client.batch_get_item,
                RequestItems={self.name: {"Keys": remaining_keys, **how}},
            )
            items += [decoded(item) for item in answer["Responses"].get(self.name, [])]
            if self.name not in answer["UnprocessedKeys"]:
                return items
            remaining_keys = answer["UnprocessedKeys"][self.name]["Keys"]
        raise Transient("batch_get_throttled")

    def put(self, item: Attributes, *, when: ConditionBase | None = None) -> None:
        """Write a whole item. Raises ConditionFailed when *when* does not hold."""
        # The condition also fails when our own first attempt succeeded and its response was lost; callers handle that.
        answer = call(
            self._client.put_item,
            TableName=self.name,
            Item=encoded(item),
            ReturnConsumedCapacity="TOTAL",
            **observed_calls.returned_before(),
            **expressions.of_condition(when),
        )
        self._count(answer)
        observed_calls.replaced(answer, item, item)

    def put_many(self, items: Sequence[Attributes]) -> None:
        """
        Write up to 25 whole items in one call, replacing existing ones. Raises Transient if some stay unprocessed.

        Unconditional: only for items that can be rewritten safely.
        """
        remaining: Any = [{"PutRequest": {"Item": encoded(item)}} for item in items]
        for _ in range(BATCH_ATTEMPTS):
            if not remaining:
                return
            answer = call(
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
        arguments = expressions.of_update(
            put={name: value for name, value in (put or {}).items() if value is not None},
            put_once=put_once,
            add=add,
            append=append,
            drop=drop,
            take_from_set=take_from_set,
            when=when,
        )
        answer = call(
            self._client.update_item,
            TableName=self.name,
            Key=encoded(key),
            ReturnValues="ALL_NEW",
            ReturnConsumedCapacity="TOTAL",
            **arguments,
        )
        self._count(answer)
        item = decoded(answer["Attributes"])
        return observed_calls.updated(key, item, put, put_once, add, append, drop, take_from_set)

    def delete(self, key: Attributes, *, when: ConditionBase | None = None) -> None:
        """Delete an item; a missing item is no error unless *when* requires it. Raises ConditionFailed."""
        answer = call(
            self._client.delete_item,
            TableName=self.name,
            Key=encoded(key),
            ReturnConsumedCapacity="TOTAL",
            **observed_calls.returned_before(),
            **expressions.of_condition(when),
        )
        self._count(answer)
        observed_calls.replaced(answer, key, None)

    def transact(self, *writes: Attributes) -> None:
        """
        Make all *writes* or none: results of `to_put`, `to_update`, `to_delete` and `to_check`. Costs twice the units.

        Raises TransactionRefused if a condition does not hold, Transient after 3 s of conflicts with other writes to
        the same items or of throttling, Permanent (`too_large`) as other writes do, and ClientError. The SDK's own
        retries have no second effect: it sends a token.
        """
        failures.repeated(lambda: self.transact_once(*writes))

    def transact_once(self, *writes: Attributes) -> None:
        """Make all *writes* or none, as `transact`; raises TransactionConflict after the first conflict."""
        items: Any = list(writes)  # Attributes are not typed by operation.
        try:
            answer = self._client.transact_write_items(
                TransactItems=items, ReturnConsumedCapacity="TOTAL"
            )
        except ClientError as error:
            failures.check_retry(error)
            raise TransactionConflict from None
        for consumed in answer.get("ConsumedCapacity", []):
            self.consumed_write_units += consumed.get("CapacityUnits", 0.0)
        observed_calls.made(writes)

    def to_put(self, item: Attributes, *, when: ConditionBase | None = None) -> Attributes:
        """Return the write of a whole item for `transact`."""
        return {
            "Put": self._of_transaction({"Item": encoded(item)}, expressions.of_condition(when))
        }

    def to_delete(self, key: Attributes, *, when: ConditionBase | None = None) -> Attributes:
        """Return the deletion of an item for `transact`."""
        return {
            "Delete": self._of_transaction({"Key": encoded(key)}, expressions.of_condition(when))
        }

    def to_check(self, key: Attributes, *, when: ConditionBase) -> Attributes:
        """Return a condition on an item that the transaction does not change, for `transact`."""
        return {
            "ConditionCheck": self._of_transaction(
                {"Key": encoded(key)}, expressions.of_condition(when)
            )
        }

    def to_update(
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
        """Return a change of some attributes for `transact`; all parameters as in `update`."""
        change = expressions.of_update(
            put=put,
            put_once=put_once,
            add=add,
            append=append,
            drop=drop,
            take_from_set=take_from_set,
            when=when,
        )
        write = {"Update": self._of_transaction({"Key": encoded(key)}, change)}
        return observed_calls.planned(write, put, drop, put_once, add, append, take_from_set)

    def _of_transaction(self, write: Attributes, arguments: Attributes) -> Attributes:
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
        optional: dict[str, Any] = {"IndexName": index} if index else {"ConsistentRead": True}
        if limit is not None:
            optional["Limit"] = limit
        if start is not None:
            optional["ExclusiveStartKey"] = encoded(start)
        answer = self._client.query(
            TableName=self.name,
            ScanIndexForward=not newest_first,
            **expressions.of_query(condition, only, fields),
            **optional,
        )
        last = answer.get("LastEvaluatedKey")
        items = [decoded(item) for item in answer["Items"]]
        observed_calls.saw([] if fields or index else items)
        return items, decoded(last) if last else None

    def _count(self, answer: Mapping[str, Any]) -> None:
        self.consumed_write_units += answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
