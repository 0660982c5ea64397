"""Expressions of updates, conditions and queries, with placeholders for every name and value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import ConditionExpressionBuilder

from shared.aws.dynamodb.values import encoded, serialize, storable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

# Arguments of an operation of the SDK.
type Arguments = dict[str, Any]


def of_update(
    *,
    put: Mapping[str, Any] | None = None,
    put_once: Mapping[str, Any] | None = None,
    add: Mapping[str, Any] | None = None,
    append: Mapping[str, list[Any]] | None = None,
    drop: Sequence[str] = (),
    take_from_set: Mapping[str, set[str]] | None = None,
    when: ConditionBase | None = None,
) -> Arguments:
    """Return the arguments of a change, parameters as in `Table.update`."""
    parts = _Parts()
    sets = [f"{parts.name(n)} = {parts.value(n, v)}" for n, v in (put or {}).items()]
    for n, value in (put_once or {}).items():
        sets.append(f"{parts.name(n)} = if_not_exists({parts.name(n)}, {parts.value(n, value)})")
    sets += [parts.extended(n, value) for n, value in (append or {}).items()]
    expression = _clauses(
        SET=sets,
        ADD=[f"{parts.name(n)} {parts.value(n, v)}" for n, v in (add or {}).items()],
        REMOVE=[parts.name(n) for n in drop],
        DELETE=[f"{parts.name(n)} {parts.value(n, v)}" for n, v in (take_from_set or {}).items()],
    )
    return {"UpdateExpression": expression} | of_condition(when, parts.names, parts.values)


def of_condition(
    when: ConditionBase | None,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
) -> Arguments:
    """Return the arguments of a condition. *names* and *values*: placeholders of the same operation's update."""
    names, values = dict(names or {}), dict(values or {})
    arguments: Arguments = {}
    if when is not None:
        built = ConditionExpressionBuilder().build_expression(when)
        names |= built.attribute_name_placeholders
        values |= encoded(built.attribute_value_placeholders)
        arguments["ConditionExpression"] = built.condition_expression
        arguments["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if names:
        arguments["ExpressionAttributeNames"] = names
    if values:
        arguments["ExpressionAttributeValues"] = values
    return arguments


def of_query(
    condition: ConditionBase, only: ConditionBase | None, fields: Sequence[str]
) -> Arguments:
    """Return the arguments of a query for the keys, filter and projection, parameters as in `Table.query`."""
    builder = ConditionExpressionBuilder()
    built = builder.build_expression(condition, is_key_condition=True)
    names = dict(built.attribute_name_placeholders)
    values = dict(built.attribute_value_placeholders)
    arguments: Arguments = {"KeyConditionExpression": built.condition_expression}
    if only is not None:
        kept = builder.build_expression(only)
        arguments["FilterExpression"] = kept.condition_expression
        names |= kept.attribute_name_placeholders
        values |= kept.attribute_value_placeholders
    projection = of_projection(fields)
    return (
        arguments
        | projection
        | {
            "ExpressionAttributeNames": names | projection.get("ExpressionAttributeNames", {}),
            "ExpressionAttributeValues": encoded(values),
        }
    )


def of_projection(fields: Sequence[str]) -> Arguments:
    """Return the arguments of a read that returns these attributes only; none: all of them."""
    if not fields:
        return {}
    return {
        "ProjectionExpression": ", ".join(f"#{name}" for name in fields),
        "ExpressionAttributeNames": {f"#{name}": name for name in fields},
    }


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
        self.values[placeholder] = serialize(storable(value))
        return placeholder

    def extended(self, name: str, value: list[Any]) -> str:
        """The assignment that appends to a list, or begins it."""
        old = f"if_not_exists({self.name(name)}, {self.value(name, [])})"
        return f"{self.name(name)} = list_append({old}, {self.value(name, value)})"


def _clauses(**clauses: list[str]) -> str:
    return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)
