"""The expressions of one call, with its placeholders: all of them must be defined and used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.tables import conditions, updates
from tests.tables.errors import Invalid, Malformed
from tests.tables.values import taken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.tables.conditions import Names, Placeholders, Projection
    from tests.tables.storage import Key
    from tests.tables.updates import Update
    from tests.tables.values import Item, Value


class Expressions:
    """Compiles the expressions of *params*, parameters of a call or a part of a transaction."""

    __slots__ = ("names", "params", "used_names", "used_values", "values")

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = params
        names = params.get("ExpressionAttributeNames")
        values = params.get("ExpressionAttributeValues")
        for given in (names, values):
            if given is not None and not given:
                raise Invalid(
                    "ExpressionAttributeNames and ExpressionAttributeValues must not be empty"
                )
        self.names: Names = tuple(names.items()) if names else ()
        self.values: dict[str, Value] = taken(values) if values else {}
        self.used_names: set[str] = set()
        self.used_values: set[str] = set()  # fmt: skip

    def _used[E: Placeholders](self, expression: E) -> E:
        self.used_names |= expression.names
        self.used_values |= expression.values
        for name in expression.values - self.values.keys():
            raise Invalid(
                f"An expression attribute value used in expression is not defined; attribute value: {name}"
            )
        return expression

    def _text(self, kind: str) -> str | None:
        text = self.params.get(kind)
        if text is not None and not isinstance(text, str):
            raise Malformed
        return text

    def condition(self, kind: str = "ConditionExpression") -> conditions.Condition | None:
        text = self._text(kind)
        if text is None:
            return None
        return self._used(conditions.condition(kind, text, self.names))

    def holds(self, condition: conditions.Condition | None, item: Item | None) -> bool:
        return condition is None or condition.test(item or {}, self.values)

    def update(self) -> Update | None:
        text = self._text("UpdateExpression")
        return None if text is None else self._used(updates.update(text, self.names))

    def projection(self) -> Projection | None:
        text = self._text("ProjectionExpression")
        return None if text is None else self._used(conditions.projection(text, self.names))

    def key_condition(self, key: Key) -> conditions.KeyCondition:
        text = self._text("KeyConditionExpression")
        if text is None:
            raise Invalid(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified"
            )
        return self._used(
            conditions.key_condition(text, self.names, key.partition, key.sort)
        )  # fmt: skip

    def check_unused(self) -> None:
        """Raise Invalid if a placeholder is used by no expression."""
        names = dict(self.names).keys() - self.used_names
        for name in names | (self.values.keys() - self.used_values):
            raise Invalid(f"A value is provided that is unused in expressions: keys: {{{name}}}")
