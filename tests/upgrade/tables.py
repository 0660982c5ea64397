"""Keys and indexes of the tables in the templates, and their changes that harm a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests import template

type Tables = dict[str, dict[str, Any]]


def declared() -> Tables:
    """The tables of the templates by logical id: name, keys, attribute types, indexes, TTL attribute."""
    return {name: _table(template.properties(name)) for name in _names()}


def _names() -> list[str]:
    return sorted(template.resources("AWS::DynamoDB::Table"))


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": properties["TableName"],
        "keys": _keys(properties),
        "attribute_types": {
            one["AttributeName"]: one["AttributeType"] for one in properties["AttributeDefinitions"]
        },
        "indexes": {
            index["IndexName"]: {"keys": _keys(index), "projection": index["Projection"]}
            for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
            for index in properties.get(kind, [])
        },
        "ttl_attribute": properties.get("TimeToLiveSpecification", {}).get("AttributeName"),
    }


def _keys(part: dict[str, Any]) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in part["KeySchema"]}


def harmful(before: Tables, now: Tables) -> Iterator[str]:
    """Each change of keys and indexes that would lose data, break the previous release, or fail to deploy."""
    for name, table in before.items():
        if name not in now:
            yield f"{name}: the table is gone"
            continue
        yield from (f"{name}.{what}" for what in _changes(table, now[name]))


def _changes(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for facet in ("name", "keys", "ttl_attribute"):
        if now[facet] != before[facet]:
            yield f"{facet}: {before[facet]} became {now[facet]}"
    for attribute, kind in before["attribute_types"].items():
        if now["attribute_types"].get(attribute, kind) != kind:
            yield f"attribute_types: {attribute} became {now['attribute_types'][attribute]}"
    for index, facts in before["indexes"].items():
        if index not in now["indexes"]:
            yield f"indexes: {index} is gone"
        elif now["indexes"][index] != facts:
            yield f"indexes: {index}: {facts} became {now['indexes'][index]}"
    added = sorted(now["indexes"].keys() - before["indexes"].keys())
    if len(added) > 1:
        yield f"indexes: {', '.join(added)} are new; an update of a stack adds at most one to a table"
