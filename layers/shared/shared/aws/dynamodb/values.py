"""Attributes of items: plain Python values, and the typed form of DynamoDB's API."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

if TYPE_CHECKING:
    from collections.abc import Mapping

# Attribute names (as in the contract) to values. Used only in this package, stores and item classes.
type Attributes = dict[str, Any]

serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize


def encoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes in the typed form of DynamoDB's API."""
    return {name: serialize(storable(value)) for name, value in attributes.items()}


def decoded(attributes: Mapping[str, Any]) -> Attributes:
    """Return attributes of DynamoDB's API as plain Python values."""
    # Most values are texts; the SDK takes seven times as long for them.
    return {
        name: value["S"] if "S" in value else _deserialize(value)
        for name, value in attributes.items()
    }


def storable(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """
    Convert floats to decimals of their shortest text (the SDK refuses floats), and leave out empty sets in maps, which
    DynamoDB refuses. Recursive.
    """
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {key: storable(entry) for key, entry in value.items() if entry != set()}
    if isinstance(value, list):
        return [storable(entry) for entry in value]
    return value
