"""
Whether a person fits the conditions of a segment.

What is compared is read only when a comparison needs it, the cheapest first: what people have stored, then lists, then
conversations, then consent.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from shared.contacts.conditions import ATTRIBUTE, CONSENT, Comparison, Operator, comparisons
from shared.identity.contacts.words import folded
from shared.inbox.items import Channel
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from shared.contacts.conditions import Condition
    from shared.contacts.person import Person
    from shared.identity.contacts.attributes import Definitions
    from shared.identity.contacts.items import AttributeValue

_STORED: Final = {
    "givenNames": "given_names",
    "organisation": "organisation",
    "language": "language",
    "zone": "zone",
    "owner": "owner",
}


@dataclass(frozen=True, slots=True)
class Present:
    """Definitions of a company's attributes and the ids of its lists, at the time *now_ms*."""

    definitions: Definitions
    lists: Collection[str]
    now_ms: int


def fits(condition: Condition, person: Person, present: Present) -> bool:
    """Whether a person fits conditions. Comparisons with what the company has removed fit no one."""
    if isinstance(condition, Comparison):
        return _compares(condition, person, present)
    parts = sorted(condition.parts, key=_cost)
    results = (fits(one, person, present) for one in parts)
    if condition.kind == "all":
        return all(results)
    return any(results) if condition.kind == "any" else not any(results)


def _cost(condition: Condition) -> int:
    return max(_cost_of_field(one.field) for one in comparisons(condition))


def _cost_of_field(name: str) -> int:
    if name.startswith(CONSENT):
        return 3
    return {"list": 1, "channel": 2, "lastContact": 2, "name": 2}.get(name, 0)


def _compares(comparison: Comparison, person: Person, present: Present) -> bool:
    if comparison.field == "list":
        wanted = [one for one in comparison.values if one in present.lists]
        return any(person.is_in(str(one)) for one in wanted)
    values = _values(comparison.field, person, present)
    if comparison.operator is Operator.EXISTS:
        return bool(values) is comparison.values[0]
    rule = _RULES[comparison.operator]
    return any(rule(own, one, present) for own in values for one in comparison.values)


def _values(field: str, person: Person, present: Present) -> Sequence[AttributeValue]:
    """Return the values that a person has of a field."""
    if field.startswith(ATTRIBUTE):
        stored = person.details.attributes if person.details else None
        shown, name = present.definitions.shown(stored), field.removeprefix(ATTRIBUTE)
        return [shown[name]] if name in shown else []
    if field.startswith(CONSENT):
        consent = person.consent(Channel(field.removeprefix(CONSENT)))
        newest = consent.newest if consent else None
        return [str(newest.state) if newest else "none"] if consent else []
    if field in _STORED:
        value = getattr(person.details, _STORED[field], None)
        return [value] if value else []
    return _KNOWN[field](person)


_KNOWN: Final[dict[str, Callable[[Person], Sequence[AttributeValue]]]] = {
    "name": lambda person: [person.name] if person.name else [],
    "label": lambda person: sorted((person.details.labels if person.details else None) or ()),
    "channel": lambda person: sorted({str(one.channel) for one in person.conversations}),
    "lastContact": lambda person: [person.last_contact_at] if person.last_contact_at else [],
    "created": lambda person: [person.profile.created_at],
}


def _is(own: AttributeValue, given: AttributeValue, _: Present) -> bool:
    if isinstance(own, str) and isinstance(given, str):
        return folded(own) == folded(given)
    return type(own) is type(given) and own == given


def _contains(own: AttributeValue, given: AttributeValue, _: Present) -> bool:
    return isinstance(own, str) and isinstance(given, str) and folded(given) in folded(own)


def _starts_with(own: AttributeValue, given: AttributeValue, _: Present) -> bool:
    both_texts = isinstance(own, str) and isinstance(given, str)
    return both_texts and folded(str(own)).startswith(folded(str(given)))


def _at_least(own: AttributeValue, given: AttributeValue, _: Present) -> bool:
    if isinstance(own, str) and isinstance(given, str):
        return own >= given  # dates
    return isinstance(own, Decimal) and isinstance(given, Decimal) and own >= given


def _at_most(own: AttributeValue, given: AttributeValue, _: Present) -> bool:
    if isinstance(own, str) and isinstance(given, str):
        return own <= given
    return isinstance(own, Decimal) and isinstance(given, Decimal) and own <= given


def _within_days(own: AttributeValue, given: AttributeValue, present: Present) -> bool:
    return _age_ms(own, present) <= int(given) * clock.DAY_SECONDS * clock.SECOND_MS


def _older_than_days(own: AttributeValue, given: AttributeValue, present: Present) -> bool:
    return _age_ms(own, present) > int(given) * clock.DAY_SECONDS * clock.SECOND_MS


def _age_ms(own: AttributeValue, present: Present) -> int:
    return present.now_ms - clock.from_text(str(own))


_RULES: Final[dict[Operator, Callable[[AttributeValue, AttributeValue, Present], bool]]] = {
    Operator.IS: _is,
    Operator.IN: _is,
    Operator.CONTAINS: _contains,
    Operator.STARTS_WITH: _starts_with,
    Operator.AT_LEAST: _at_least,
    Operator.AT_MOST: _at_most,
    Operator.WITHIN_DAYS: _within_days,
    Operator.OLDER_THAN_DAYS: _older_than_days,
}
