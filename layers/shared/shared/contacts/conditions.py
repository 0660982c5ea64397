"""
The conditions of a segment: a tree over what is known of a person.

    {"all": [...]}    {"any": [...]}    {"not": {...}}    {"field": "language", "operator": "is", "value": "de"}

    kind       operators                                  fields
    text       is, in, contains, startsWith, exists       name, givenNames, organisation, language, zone, attributes
    word       is, in, exists                             label, owner; attributes that are choices
    number     is, in, atLeast, atMost, exists            attributes
    date       is, atLeast, atMost, exists                attributes
    boolean    is, exists                                 attributes
    list       is, in                                     list (the id of a list of the company)
    fixed      is, in                                     channel; consent.whatsapp, consent.sms, consent.email
    moment     withinDays, olderThanDays, exists          lastContact, created

A field without a value fits no operator but `exists` with false. Texts are compared without case and accents.
`channel`: where the person has a conversation. `consent`: `opted_in`, `opted_out`, or `none`, where the person has an
address.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from shared.identity.contacts.attributes import Definition, Kind
from shared.identity.contacts.words import folded
from shared.inbox.items import Channel

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from shared.identity.contacts.attributes import Definitions
    from shared.identity.contacts.items import AttributeValue

MOST_COMPARISONS: Final = 50
DEEPEST: Final = 5
MOST_VALUES: Final = 50  # of one comparison
MOST_DAYS: Final = 3_650
ATTRIBUTE: Final = "attributes."
CONSENT: Final = "consent."


class Operator(StrEnum):
    """The comparison of a field with values."""

    IS = "is"
    IN = "in"
    CONTAINS = "contains"
    STARTS_WITH = "startsWith"
    AT_LEAST = "atLeast"
    AT_MOST = "atMost"
    WITHIN_DAYS = "withinDays"
    OLDER_THAN_DAYS = "olderThanDays"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field compared with values, of which one must fit; each operator but `in` has one value."""

    field: str
    operator: Operator
    values: tuple[AttributeValue, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions of which all, any or (of the one of `not`) none must fit."""

    kind: Literal["all", "any", "not"]
    parts: tuple[Condition, ...]


type Condition = Comparison | Group


class ConditionsRefused(Exception):
    """Conditions break rules; *problems* has the rule by the path of each field, such as `all.0.operator`."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("conditions break rules")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class _Fields:
    """A kind of field: its operators, and the values that comparisons may name."""

    operators: tuple[Operator, ...]
    definition: Definition


_O = Operator
_TEXT = _Fields(
    (_O.IS, _O.IN, _O.CONTAINS, _O.STARTS_WITH, _O.EXISTS), Definition(kind=Kind.TEXT, title="")
)
_WORD = _Fields((_O.IS, _O.IN, _O.EXISTS), Definition(kind=Kind.TEXT, title=""))
_LIST = _Fields((_O.IS, _O.IN), Definition(kind=Kind.TEXT, title=""))
_CHANNEL = _Fields(
    (_O.IS, _O.IN), Definition(kind=Kind.CHOICE, title="", choices=[*map(str, Channel)])
)
_STATES = _Fields(
    (_O.IS, _O.IN),
    Definition(kind=Kind.CHOICE, title="", choices=["opted_in", "opted_out", "none"]),
)
_MOMENT = _Fields(
    (_O.WITHIN_DAYS, _O.OLDER_THAN_DAYS, _O.EXISTS), Definition(kind=Kind.NUMBER, title="")
)
_OF_KIND: Final = {
    Kind.TEXT: _TEXT.operators,
    Kind.NUMBER: (_O.IS, _O.IN, _O.AT_LEAST, _O.AT_MOST, _O.EXISTS),
    Kind.DATE: (_O.IS, _O.AT_LEAST, _O.AT_MOST, _O.EXISTS),
    Kind.BOOLEAN: (_O.IS, _O.EXISTS),
    Kind.CHOICE: _WORD.operators,
}
_KNOWN: Final = {
    **dict.fromkeys(("name", "givenNames", "organisation", "language", "zone"), _TEXT),
    **dict.fromkeys(("label", "owner"), _WORD),
    "list": _LIST,
    "channel": _CHANNEL,
    **{f"{CONSENT}{channel}": _STATES for channel in Channel},
    **dict.fromkeys(("lastContact", "created"), _MOMENT),
}


def parsed(given: object, definitions: Definitions, lists: Collection[str]) -> Condition:
    """Return the conditions of a request. *lists*: ids of the company's lists. Raises ConditionsRefused."""
    reading = _Reading(definitions, lists)
    found = reading.condition(given, "", 1)
    if found is None or reading.problems:
        raise ConditionsRefused(reading.problems)
    return found


def written(condition: Condition) -> dict[str, object]:
    """Return conditions as requests have them."""
    if isinstance(condition, Comparison):
        values = [_in_json(one) for one in condition.values]
        value = values if condition.operator is Operator.IN else values[0]
        return {"field": condition.field, "operator": str(condition.operator), "value": value}
    if condition.kind == "not":
        return {"not": written(condition.parts[0])}
    return {condition.kind: [written(one) for one in condition.parts]}


def read(stored: Mapping[str, object]) -> Condition:
    """Return conditions that `written` has made. The company may have removed what they name since."""
    if "field" in stored:
        value = stored["value"]
        values = value if isinstance(value, list) else [value]
        operator = Operator(str(stored["operator"]))
        return Comparison(str(stored["field"]), operator, tuple(map(_from_json, values)))
    if "not" in stored:
        return Group("not", (read(_mapping(stored["not"])),))
    kind: Literal["all", "any"] = "all" if "all" in stored else "any"
    parts = stored[kind]
    assert isinstance(parts, list)  # noqa: S101 - `written` writes a list
    return Group(kind, tuple(read(_mapping(one)) for one in parts))


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield all comparisons."""
    if isinstance(condition, Comparison):
        yield condition
    else:
        for part in condition.parts:
            yield from comparisons(part)


class _Broken(Exception):
    """A condition breaks a rule."""

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(rule)
        self.path = path
        self.rule = rule


class _Reading:
    """Conditions of a request that are read, and the rules that they break."""

    def __init__(self, definitions: Definitions, lists: Collection[str]) -> None:
        self.problems: dict[str, str] = {}
        self._definitions = definitions
        self._lists = lists
        self._comparisons = 0

    def condition(self, given: object, path: str, depth: int) -> Condition | None:
        """Return a condition; None if it, or each of its parts, breaks a rule."""
        try:
            return self._condition(given, path, depth)
        except _Broken as broken:
            self.problems.setdefault(broken.path, broken.rule)
            return None

    def _condition(self, given: object, path: str, depth: int) -> Condition | None:
        if not isinstance(given, Mapping):
            raise _Broken(path, "must be an object")
        groups = [name for name in ("all", "any", "not") if name in given]
        if depth > DEEPEST:
            raise _Broken(path, f"conditions must be at most {DEEPEST} levels deep")
        if not groups:
            return self._comparison(given, path)
        if len(given) > 1:
            raise _Broken(path, f"{groups[0]} must be the only field")
        return self._group(groups[0], given[groups[0]], _under(path, groups[0]), depth)

    def _group(self, kind: str, given: object, path: str, depth: int) -> Condition | None:
        if kind == "not":
            part = self.condition(given, path, depth + 1)
            return Group("not", (part,)) if part is not None else None
        if not isinstance(given, list) or not 1 <= len(given) <= MOST_COMPARISONS:
            raise _Broken(path, f"must have 1 to {MOST_COMPARISONS} conditions")
        parts = [
            self.condition(one, _under(path, str(n)), depth + 1) for n, one in enumerate(given)
        ]
        found = tuple(one for one in parts if one is not None)
        return Group("all" if kind == "all" else "any", found)

    def _comparison(self, given: Mapping[str, object], path: str) -> Comparison:
        self._comparisons += 1
        if self._comparisons > MOST_COMPARISONS:
            raise _Broken("", f"must have at most {MOST_COMPARISONS} comparisons")
        if given.keys() != {"field", "operator", "value"}:
            known = "field, operator and value, or one of all, any and not"
            raise _Broken(path, f"must have {known}, and nothing else")
        about = self._about(given["field"], _under(path, "field"))
        if given["operator"] not in about.operators:
            rule = f"must be one of {', '.join(about.operators)} for this field"
            raise _Broken(_under(path, "operator"), rule)
        operator = Operator(str(given["operator"]))
        values = self._values(given["value"], operator, about, _under(path, "value"))
        return Comparison(str(given["field"]), operator, values)

    def _about(self, name: object, path: str) -> _Fields:
        if isinstance(name, str):
            own = self._definitions.definitions.get(name.removeprefix(ATTRIBUTE))
            if name.startswith(ATTRIBUTE) and own is not None:
                return _Fields(_OF_KIND[own.kind], own)
            if name in _KNOWN:
                return _KNOWN[name]
        known = f"{', '.join(_KNOWN)}, and {ATTRIBUTE} with the name of a defined attribute"
        raise _Broken(path, f"must be one of {known}")

    def _values(
        self, given: object, operator: Operator, about: _Fields, path: str
    ) -> tuple[AttributeValue, ...]:
        if operator is Operator.EXISTS:
            if not isinstance(given, bool):
                raise _Broken(path, "must be true or false")
            return (given,)
        if operator in {Operator.WITHIN_DAYS, Operator.OLDER_THAN_DAYS}:
            if type(given) is not int or not 1 <= given <= MOST_DAYS:
                raise _Broken(path, f"must be a whole number from 1 to {MOST_DAYS}")
            return (Decimal(given),)
        several = given if isinstance(given, list) else [given]
        if (operator is Operator.IN) is not isinstance(given, list):
            raise _Broken(path, "must be a list for the operator in, and one value for others")
        if not 1 <= len(several) <= MOST_VALUES:
            raise _Broken(path, f"must have 1 to {MOST_VALUES} values")
        found = [_from_json(one) for one in several]
        rule = next((rule for one in found if (rule := about.definition.problem_of(one))), None)
        is_part = operator in {Operator.CONTAINS, Operator.STARTS_WITH}
        if rule is None and is_part and not all(folded(str(one)).strip() for one in found):
            rule = "must have a visible character"  # else each text has it
        if rule is None and about is _LIST and not {*found} <= {*self._lists}:
            rule = "must be the id of a list of the company"
        if rule:
            raise _Broken(path, rule)
        return tuple(found)


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _mapping(given: object) -> Mapping[str, object]:
    assert isinstance(given, Mapping)  # noqa: S101 - `written` writes an object
    return given


def _in_json(value: AttributeValue) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _from_json(value: object) -> AttributeValue:
    """Return a value as attributes are stored; what is none stays, and fits no rule."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(repr(value))
    return value  # type: ignore[return-value]  # checked by the rule of the field
