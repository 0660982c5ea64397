"""Reads of several items: queries and scans of a table or an index, in pages."""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Any, Final

from tests.tables.errors import Invalid
from tests.tables.expressions import Expressions
from tests.tables.storage import Table
from tests.tables.values import given, order, taken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.tables.storage import Key, Stored

MOST_BYTES: Final = 1_000_000  # of a page


def query(params: Mapping[str, Any]) -> dict[str, Any]:
    """The items of a partition, in the order of their sort keys."""
    table, expressions = Table(params["TableName"]), Expressions(params)
    index_name = params.get("IndexName")
    key = table.index(index_name)
    condition = expressions.key_condition(key)
    wanted = expressions.values[condition.partition]
    _check_key_value(table, key.partition, wanted)
    if condition.sort is not None:
        for name in condition.values - {condition.partition}:
            _check_key_value(table, condition.sort, expressions.values[name])
    if index_name is None:
        row = table.rows.get(order(wanted), {})
        found = [row[place] for place in sorted(row)] if len(row) > 1 else [*row.values()]
    else:
        found = [
            item
            for item in table.all()
            if item.get(key.partition) == wanted and all(name in item for name in key.own)
        ]
        found.sort(key=key.order_of)
    is_forward = params.get("ScanIndexForward", True)
    if not is_forward:
        found.reverse()
    values = expressions.values
    return _page(
        params, table, key, found, expressions,
        lambda item: condition.test(item, values), is_forward=is_forward,
    )  # fmt: skip


def scan(params: Mapping[str, Any]) -> dict[str, Any]:
    """All items, or a segment's, in the order of their keys: DynamoDB has another one, which nothing shows."""
    table, expressions = Table(params["TableName"]), Expressions(params)
    key = table.index(params.get("IndexName"))
    segment, segments = params.get("Segment"), params.get("TotalSegments")
    if (segment is None) != (segments is None):
        raise Invalid("Segment and TotalSegments are given together")
    if segments is not None and segment is not None and segment >= segments:
        raise Invalid(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments"
        )
    found = [
        item
        for item in table.all()
        if all(name in item for name in key.own)
        and (segments is None or _segment(table, item) % segments == segment)
    ]
    found.sort(key=key.order_of)
    return _page(params, table, key, found, expressions, lambda _: True, is_forward=True)


def _check_key_value(table: Table, name: str, value: dict[str, Any]) -> None:
    if table.schema.types[name] not in value:
        raise Invalid(
            "One or more parameter values were invalid: "
            "Condition parameter type does not match schema type"
        )
    if value in ({"S": ""}, {"B": b""}):
        raise Invalid(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            f"cannot contain an empty string value. Key: {name}"
        )


def _segment(table: Table, item: Stored) -> int:
    """A number below 256 that a partition has in all scans."""
    (content,) = item[table.schema.key.partition].values()
    text = content if isinstance(content, bytes) else content.encode()
    return md5(text, usedforsecurity=False).digest()[0]


def _page(  # noqa: PLR0917 - what a query and a scan have in common
    params: Mapping[str, Any],
    table: Table,
    key: Key,
    found: Sequence[Stored],
    expressions: Expressions,
    is_wanted: Callable[[Stored], bool],
    *,
    is_forward: bool,
) -> dict[str, Any]:
    """
    The answer with the items after the start. A filter is applied to the page; its limit counts all items.

    A page that is just full is the last one, unless a further item follows.
    """
    _check(params, key)
    chosen, projection = expressions.condition("FilterExpression"), expressions.projection()
    expressions.check_unused()
    start = params.get("ExclusiveStartKey")
    if start is not None:
        found = _after(key, taken(start), found, is_forward=is_forward)
    page, is_last = _first(found, is_wanted, params.get("Limit"))
    shown: list[Any] = page
    if key.projection is not None:
        shown = [key.projection.of(item) for item in shown]
    if chosen is not None:
        shown = [item for item in shown if chosen.test(item, expressions.values)]
    if projection is not None:
        shown = [projection.of(item) for item in shown]
    answer: dict[str, Any] = {"Count": len(shown), "ScannedCount": len(page)}
    if params.get("Select") != "COUNT":
        answer["Items"] = [given(item) for item in shown]
    if not is_last:
        answer["LastEvaluatedKey"] = given({name: page[-1][name] for name in key.attributes})
    return answer


def _first(
    found: Sequence[Stored], is_wanted: Callable[[Stored], bool], limit: int | None
) -> tuple[list[Stored], bool]:
    """The items of a page, and whether no item follows."""
    page: list[Stored] = []
    size = 0
    for item in found:
        if len(page) == limit or size + item.size > MOST_BYTES:
            return page, False
        if is_wanted(item):
            page.append(item)
            size += item.size
    return page, True


def _after(key: Key, start: Any, found: Sequence[Stored], *, is_forward: bool) -> list[Stored]:
    if start.keys() != set(key.attributes):
        raise Invalid("The provided starting key is invalid")
    begin = key.order_of(start)
    if is_forward:
        return [item for item in found if key.order_of(item) > begin]
    return [item for item in found if key.order_of(item) < begin]


def _check(params: Mapping[str, Any], key: Key) -> None:
    """Raise Invalid for parameters that contradict each other."""
    select, projects = params.get("Select"), "ProjectionExpression" in params
    reads_all = select == "ALL_ATTRIBUTES" and key.is_global and key.projection is not None
    if (params.get("ConsistentRead") and key.is_global) or reads_all:
        raise Invalid("A global secondary index has no consistent reads, and only its attributes")
    if select is not None and projects != (select == "SPECIFIC_ATTRIBUTES"):
        raise Invalid(f"A ProjectionExpression and {select} contradict each other")
    if select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in params:
        raise Invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
