"""The operations on items: each takes the parameters of a call and returns its answer, or raises Refused."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from tests.tables.conditions import of_paths
from tests.tables.errors import ConditionFailed, Impossible, Invalid, cancelled
from tests.tables.expressions import Expressions
from tests.tables.reads import query, scan
from tests.tables.storage import Table
from tests.tables.values import given, taken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.tables.storage import Stored
    from tests.tables.values import Item

    type Params = Mapping[str, Any]

_MOST_READ: Final = 100
_MOST_WRITTEN: Final = 25
_MOST_IN_TRANSACTION: Final = 100
_MOST_BYTES_READ: Final = 16 * 1_024 * 1_024
# Held by calls that moto answers, too: its handlers read and write the same items.
lock: Final = threading.RLock()


def run(operation: str, params: Params) -> dict[str, Any]:
    """Execute an operation; others of other threads wait."""
    with lock:
        return OPERATIONS[operation](params)


def get_item(params: Params) -> dict[str, Any]:
    table, expressions = Table(params["TableName"]), Expressions(params)
    projection = expressions.projection()
    expressions.check_unused()
    found = table.get(table.place(taken(params["Key"])))
    answer = {} if found is None else {"Item": given(projection.of(found) if projection else found)}
    return _with_capacity(answer, params, 0.5)


class Write:
    """A change of one item: parameters of a call, or a part of a transaction."""

    def __init__(self, kind: str, params: Params) -> None:
        self.kind, self.params = kind, params
        self.table, self.expressions = Table(params["TableName"]), Expressions(params)
        self.condition = self.expressions.condition()
        self.update = self.expressions.update() if kind == "Update" else None
        self.expressions.check_unused()
        self.new: Stored | None = None
        self.key = taken(params["Item" if kind == "Put" else "Key"])
        if kind == "Put":
            self.place = self.table.place_of(self.key)
            self.new = self.table.checked(self.key)
        else:
            self.place = self.table.place(self.key)
        self.old = self.table.get(self.place)
        for path in self.update.paths if self.update else ():
            if path[0] in self.table.schema.names:
                raise Invalid(
                    f"One or more parameter values were invalid: Cannot update attribute {path[0]}. "
                    "This attribute is part of the key"
                )

    def check(self) -> None:
        """Raise Refused if the condition does not hold."""
        if not self.expressions.holds(self.condition, self.old):
            wants_old = self.params.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            raise ConditionFailed(given(self.old) if self.old and wants_old else None)

    def prepare(self) -> None:
        """Determine the new item. Raises Impossible for an update that this item does not allow."""
        if self.kind == "Update":
            new: Item = dict(self.key if self.old is None else self.old)
            if self.update is not None:
                new = self.update.of(new, self.expressions.values)
            self.new = self.table.checked(new, "Item size to update")

    def make(self) -> None:
        """Store the change."""
        if self.kind != "ConditionCheck":
            self.table.set(self.place, self.new)


def _write(kind: str, params: Params) -> Write:
    write = Write(kind, params)
    write.check()
    write.prepare()
    write.make()
    return write


def put_item(params: Params) -> dict[str, Any]:
    _check_returned(params)
    return _with_capacity(_old(_write("Put", params)), params)


def delete_item(params: Params) -> dict[str, Any]:
    _check_returned(params)
    return _with_capacity(_old(_write("Delete", params)), params)


def _check_returned(params: Params) -> None:
    if params.get("ReturnValues", "NONE") not in {"NONE", "ALL_OLD"}:
        raise Invalid("Return values set to invalid value")


def _old(write: Write) -> dict[str, Any]:
    if write.old is None or write.params.get("ReturnValues") != "ALL_OLD":
        return {}
    return {"Attributes": given(write.old)}


def update_item(params: Params) -> dict[str, Any]:
    write = _write("Update", params)
    returned = params.get("ReturnValues", "NONE")
    shown: Item | None = write.new if returned.endswith("_NEW") else write.old
    if returned.startswith("UPDATED_") and shown is not None:
        shown = of_paths(write.update.paths).of(shown) if write.update else None
    answer = {"Attributes": given(shown)} if shown and returned != "NONE" else {}
    return _with_capacity(answer, params, 0.5)


# Several items


def batch_get_item(params: Params) -> dict[str, Any]:
    asked = params["RequestItems"]
    if sum(len(request["Keys"]) for request in asked.values()) > _MOST_READ:
        raise Invalid("Too many items requested for the BatchGetItem call")
    answers: dict[str, list[Item]] = {}
    left: dict[str, Any] = {}
    size = 0
    for name, request in asked.items():
        table, expressions = Table(name), Expressions(request)
        projection = expressions.projection()
        expressions.check_unused()
        places = [table.place(taken(key)) for key in request["Keys"]]
        _check_distinct(places)
        answers[name] = []
        for place, key in zip(places, request["Keys"], strict=True):
            found = table.get(place)
            if found is None:
                continue
            if size + found.size > _MOST_BYTES_READ:
                left.setdefault(name, {**request, "Keys": []})["Keys"].append(key)
                continue
            size += found.size
            answers[name].append(given(projection.of(found) if projection else found))
    return {"Responses": answers, "UnprocessedKeys": left}


def batch_write_item(params: Params) -> dict[str, Any]:
    asked = params["RequestItems"]
    if sum(map(len, asked.values())) > _MOST_WRITTEN:
        raise Invalid("Too many items requested for the BatchWriteItem call")
    writes = []
    for name, requests in asked.items():
        for request in requests:
            ((kind, part),) = request.items()
            writes.append(Write(kind.removesuffix("Request"), {"TableName": name, **part}))
    _check_distinct([(write.table.name, *write.place) for write in writes])
    for write in writes:
        write.make()
    capacity = [{"TableName": name, "CapacityUnits": 1.0} for name in asked]
    return {"ConsumedCapacity": capacity, "ItemCollectionMetrics": {}, "UnprocessedItems": {}}


def _check_distinct(places: list[tuple[Any, ...]]) -> None:
    if len(set(places)) < len(places):
        raise Invalid("Provided list of item keys contains duplicates")


def transact_get_items(params: Params) -> dict[str, Any]:
    _check_transaction(params)
    return {"Responses": [get_item(part["Get"]) for part in params["TransactItems"]]}


def transact_write_items(params: Params) -> dict[str, Any]:
    """All writes or none. One that its item does not allow is a reason of the cancellation, as a failed condition."""
    _check_transaction(params)
    writes = [Write(kind, part) for one in params["TransactItems"] for kind, part in one.items()]
    places = [(write.table.name, *write.place) for write in writes]
    if len(set(places)) < len(places):
        raise Invalid("Transaction request cannot include multiple operations on one item")
    reasons = [_reason(write) for write in writes]
    if any(reason["Code"] != "None" for reason in reasons):
        raise cancelled(reasons)
    for write in writes:
        write.make()
    return {"ConsumedCapacity": [], "ItemCollectionMetrics": {}}


def _check_transaction(params: Params) -> None:
    parts = params["TransactItems"]
    if len(parts) > _MOST_IN_TRANSACTION:
        raise Invalid("Member must have length less than or equal to 100")
    if any(len(part) != 1 for part in parts):
        raise Invalid("TransactItems can only contain one of Check, Put, Update or Delete")


def _reason(write: Write) -> dict[str, Any]:
    try:
        write.check()
        write.prepare()
    except Impossible as error:
        return {"Code": "ValidationError", "Message": error.message}
    except ConditionFailed as error:
        return {"Code": "ConditionalCheckFailed", "Message": error.message, **error.more}
    return {"Code": "None"}


def _with_capacity(answer: dict[str, Any], params: Params, units: float = 1.0) -> dict[str, Any]:
    """The answer with the units that moto reports for an item of any size; `tests/cost` counts its own."""
    if params.get("ReturnConsumedCapacity", "NONE") != "NONE":
        answer["ConsumedCapacity"] = {"TableName": params["TableName"], "CapacityUnits": units}
    return answer


OPERATIONS: Final[dict[str, Callable[[Params], dict[str, Any]]]] = {
    "BatchGetItem": batch_get_item,
    "BatchWriteItem": batch_write_item,
    "DeleteItem": delete_item,
    "GetItem": get_item,
    "PutItem": put_item,
    "Query": lambda params: _with_capacity(query(params), params),
    "Scan": lambda params: _with_capacity(scan(params), params),
    "TransactGetItems": transact_get_items,
    "TransactWriteItems": transact_write_items,
    "UpdateItem": update_item,
}
