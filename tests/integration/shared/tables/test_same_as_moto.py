"""The tables of the tests answer every sequence of calls as moto's tables do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.integration.shared.tables.both import (
    TABLE,
    VALUES,
    Call,
    expression,
    in_moto,
    key,
    results,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

CONDITIONS: Final = (
    "attribute_exists(#day)",
    "attribute_not_exists(#day)",
    "attribute_not_exists(#map.#inner)",
    "attribute_exists(#list[1].#deep)",
    "attribute_type(#count, :number)",
    "begins_with(#text, :a)",
    "contains(#text, :b)",
    "contains(#tags, :b)",
    "contains(#ranks, :one)",
    "contains(#list, :a)",
    "#text = :umlaut",
    "#text <> :a",
    "#text < :umlaut",
    "#count >= :two",
    "#count < :twenty",
    "#count BETWEEN :half AND :two",
    "#text IN (:a, :umlaut)",
    "#tags = :tags",
    "#map = :map",
    "#list <> :list",
    "#flag = :yes",
    "#data = :bytes",
    "#map.#more[0] > :half",
    "attribute_exists(#text) AND size(#text) > :one",
    "attribute_exists(#list) AND size(#list) <= :two",
    "attribute_exists(#state) AND #state = #text",
    "NOT (#count = :one OR attribute_not_exists(#state))",
    "#count = :one AND (#state = :a OR #state = :b)",
)
UPDATES: Final = (
    "SET #text = :umlaut, #count = :two",
    "SET #count = #count + :half",
    "SET #count = :twenty - :one",
    "SET #count = if_not_exists(#count, :one) + :one",
    "SET #list = list_append(if_not_exists(#list, :list), :list)",
    "SET #list = list_append(:list, #list), #state = :b",
    "SET #map = :map, #list = :list",
    "SET #map.#inner = :a, #map.#other = :bytes",
    "SET #list[1].#deep = :one, #list[7] = :yes",
    "SET #text = #state REMOVE #state",
    "SET #map.#inner = #text, #text = #map.#inner",
    "REMOVE #map.#inner, #list[0], #list[1]",
    "REMOVE #text, #none",
    "ADD #count :half, #tags :tags, #ranks :ranks",
    "ADD #map.#total :one",
    "DELETE #tags :tags",
    "ADD #count :one SET #text = :a REMOVE #list DELETE #ranks :ranks",
    "SET #flag = :yes, #nothing = :nothing, #data = :bytes",
)
PROJECTIONS: Final = (
    "#day",
    "#text, #count",
    "#map.#inner, #number",
    "#map, #tags, #data",
    "#none",
)
KEY_CONDITIONS: Final = (
    (None, "#day = :monday"),
    (None, "#day = :monday AND #number > :one"),
    (None, "#day = :monday AND #number BETWEEN :half AND :two"),
    (None, "#day = :a"),
    ("by_state", "#state = :a"),
    ("by_state", "#state = :b AND #count <= :two"),
    ("keys_by_state", "#state = :a"),
    ("some_by_count", "#count = :one AND #number >= :two"),
)

PHASES: Final = (Phase.generate,)  # without shrinking, which takes minutes with moto

attributes: Final = {
    "text": st.sampled_from([":a", ":b", ":umlaut"]),
    "state": st.sampled_from([":a", ":b"]),
    "count": st.sampled_from([":one", ":two", ":half", ":twenty"]),
    "tags": st.just(":tags"),
    "ranks": st.just(":ranks"),
    "list": st.just(":list"),
    "map": st.just(":map"),
    "flag": st.just(":yes"),
    "nothing": st.just(":nothing"),
    "data": st.just(":bytes"),
}
keys: Final = st.builds(key, st.sampled_from(["monday", "sunday"]), st.integers(0, 3))
items: Final = st.builds(
    lambda where, rest: {**where, **{name: VALUES[value] for name, value in rest.items()}},
    keys,
    st.fixed_dictionaries({}, optional=attributes),
)
conditions: Final = st.one_of(st.none(), st.sampled_from(CONDITIONS))
on_failure: Final = st.sampled_from([{}, {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}])


def written(part: dict[str, Any], condition: str | None, update: str | None = None) -> Any:
    """The parameters of a write."""
    texts = {"ConditionExpression": condition, "UpdateExpression": update}
    return {
        "TableName": TABLE,
        **part,
        **expression(**{name: text for name, text in texts.items() if text}),
    }


puts: Final = st.builds(written, st.builds(lambda item: {"Item": item}, items), conditions)
deletes: Final = st.builds(written, st.builds(lambda where: {"Key": where}, keys), conditions)
updates: Final = st.builds(
    written, st.builds(lambda where: {"Key": where}, keys), conditions, st.sampled_from(UPDATES)
)
checks: Final = st.builds(
    written, st.builds(lambda where: {"Key": where}, keys), st.sampled_from(CONDITIONS)
)


def write(operation: str, parts: SearchStrategy[Any], *returned: str) -> SearchStrategy[Call]:
    values = st.sampled_from(["NONE", "ALL_OLD", *returned])
    return st.builds(
        lambda part, more, value: (operation, {**part, **more, "ReturnValues": value}),
        parts, on_failure, values,
    )  # fmt: skip


def read(arguments: dict[str, Any], **texts: str | None) -> dict[str, Any]:
    """The parameters of a read."""
    return {
        "TableName": TABLE,
        **arguments,
        **expression(**{name: text for name, text in texts.items() if text}),
    }


def query(chosen: tuple[str | None, str], **more: Any) -> Call:
    index, condition = chosen
    arguments = {"ScanIndexForward": more["forward"]}
    arguments |= {"Limit": more["limit"]} if more["limit"] else {}
    arguments |= {"IndexName": index} if index else {}
    texts = {"FilterExpression": more["filter"], "ProjectionExpression": more["shown"]}
    return "query", read(arguments, KeyConditionExpression=condition, **texts)


def scan(index: str | None, segment: int | None, limit: int | None, text: str | None) -> Call:
    arguments: dict[str, Any] = {"IndexName": index} if index else {}
    if segment is not None:
        arguments |= {"Segment": segment, "TotalSegments": 2}
    return "scan", read(arguments | ({"Limit": limit} if limit else {}), FilterExpression=text)


def transaction(parts: list[tuple[str, dict[str, Any]]]) -> Call:
    return "transact_write_items", {"TransactItems": [{kind: part} for kind, part in parts]}


def batch(put: list[dict[str, Any]], deleted: list[dict[str, Any]]) -> Call:
    kept = [named(item) for item in put]
    requests = [{"PutRequest": {"Item": item}} for item in put]
    gone = [{"DeleteRequest": {"Key": where}} for where in deleted if where not in kept]
    return "batch_write_item", {"RequestItems": {TABLE: requests + gone}}


def transacted_reads(asked: list[dict[str, Any]]) -> Call:
    return "transact_get_items", {"TransactItems": [{"Get": read({"Key": one})} for one in asked]}


def named(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("day", "number")}


def distinct(
    parts: SearchStrategy[Any], most: int, of: Callable[[Any], Any]
) -> SearchStrategy[Any]:
    return st.lists(parts, min_size=1, max_size=most, unique_by=lambda part: repr(of(part)))


limits: Final = st.sampled_from([None, 1, 2, 3])
gets: Final = st.builds(
    lambda where, shown: ("get_item", read({"Key": where}, ProjectionExpression=shown)),
    keys,
    st.sampled_from([None, *PROJECTIONS]),
)
queries: Final = st.builds(
    query,
    st.sampled_from(KEY_CONDITIONS),
    forward=st.booleans(),
    limit=limits,
    filter=conditions,
    shown=st.sampled_from([None, *PROJECTIONS]),
)
scans: Final = st.builds(
    scan,
    st.sampled_from([None, "by_state", "some_by_count"]),
    st.sampled_from([None, 0, 1]),
    limits,
    conditions,
)
transactions: Final = st.builds(
    transaction,
    distinct(
        st.one_of(
            st.tuples(st.just("Put"), puts),
            st.tuples(st.just("Delete"), deletes),
            st.tuples(st.just("ConditionCheck"), checks),
        ),
        4,
        lambda part: named(part[1].get("Key") or part[1]["Item"]),
    ),
)
several_keys: Final = distinct(keys, 4, named)
several: Final = st.one_of(
    st.builds(batch, distinct(items, 4, named), several_keys),
    several_keys.map(lambda asked: ("batch_get_item", {"RequestItems": {TABLE: {"Keys": asked}}})),
    several_keys.map(transacted_reads),
)
calls: Final[SearchStrategy[Call]] = st.one_of(
    write("put_item", puts),
    write("delete_item", deletes),
    write("update_item", updates, "ALL_NEW"),
    gets,
    queries,
    scans,
    transactions,
    several,
)
stored: Final = st.lists(items, min_size=3, max_size=8).map(
    lambda found: [("put_item", {"TableName": TABLE, "Item": item}) for item in found]
)
days: Final = st.builds(
    lambda begin, then: [*begin, *then], stored, st.lists(calls, min_size=20, max_size=40)
)


@given(days)
@settings(max_examples=8, phases=PHASES)
def test_any_calls_have_the_same_answers_and_effects(made: list[Call]) -> None:
    assert results(made) == in_moto(made)


@pytest.mark.long
@given(days)
@settings(max_examples=40, phases=PHASES)
def test_many_calls_have_the_same_answers_and_effects(made: list[Call]) -> None:
    assert results(made) == in_moto(made)
