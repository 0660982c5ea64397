"""The attributes that a company defines for its contacts, and values of them in requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts.views import AttributeDefinition, AttributeDefinitions
from shared.api.errors import InvalidInput, Unprocessable
from shared.identity.contacts import attributes
from shared.identity.contacts.attributes import Definition, DefinitionRefused, ValuesRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from console.api.inbox import InboxDependencies
    from console.contacts.changes.inputs import DefinitionInput
    from shared.api.auth import Caller
    from shared.identity.contacts.attributes import Definitions
    from shared.identity.contacts.items import AttributeValue


def listed(deps: InboxDependencies, caller: Caller) -> AttributeDefinitions:
    """Return the definitions of the caller's company."""
    return _view(attributes.of_company(deps.contacts, caller.company))


def define(
    deps: InboxDependencies, caller: Caller, name: str, body: DefinitionInput
) -> Callable[[], AttributeDefinitions]:
    """
    Return the change that creates or changes a definition. Raises InvalidInput; the change Unprocessable.

    What the body leaves out stays.
    """
    if not attributes.is_name(name):
        problem = "must be a small letter, then up to 39 small letters, digits and _"
        raise InvalidInput([{"field": "name", "problem": problem}])

    def defined() -> AttributeDefinitions:
        before = attributes.of_company(deps.contacts, caller.company).definitions.get(name)
        kept = before.model_dump(include={"choices", "filterable"}) if before else {}
        made = Definition.model_validate(kept | body.given())
        try:
            return _view(attributes.define(deps.contacts, caller.company, name, made))
        except DefinitionRefused as refusal:
            problem = {"field": refusal.field, "problem": str(refusal)}
            raise Unprocessable([problem]) from None

    return defined


def remove(
    deps: InboxDependencies, caller: Caller, name: str
) -> Callable[[], AttributeDefinitions]:
    """Return the change that removes a definition. Safe to repeat."""
    return lambda: _view(attributes.remove(deps.contacts, caller.company, name))


def parsed(
    deps: InboxDependencies, caller: Caller, given: Mapping[str, object]
) -> dict[str, AttributeValue | None]:
    """Return the values of a request as they are stored. Raises Unprocessable, with field and rule."""
    if not given:
        return {}
    try:
        known = attributes.of_company(deps.contacts, caller.company)
        return attributes.parsed(known, given)
    except ValuesRefused as refusal:
        raise refused(refusal) from None


def refused(refusal: ValuesRefused) -> Unprocessable:
    """Return the answer to values that break rules. A name that could be anything is not repeated."""
    problems = [
        {
            "field": f"attributes.{name}" if attributes.is_name(name) else "attributes",
            "problem": rule,
        }
        for name, rule in refusal.problems.items()
    ]
    return Unprocessable(problems)


def _view(known: Definitions) -> AttributeDefinitions:
    return AttributeDefinitions(
        attributes=[
            AttributeDefinition(
                name=name,
                kind=one.kind,
                title=one.title,
                choices=one.choices,
                filterable=one.filterable,
            )
            for name, one in sorted(known.definitions.items())
        ]
    )
