"""
Sends objects back as they were read, and without each of their fields; what changes by that is a problem.

`changes_sent_back` has the routes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from shared.api.models.inputs import Change
from tests.integration.isolation import surfaces
from tests.integration.isolation.attacks.attacks import Call, owner_of
from tests.integration.isolation.changes.changes_sent_back import (
    _KEYS,
    IDENTITIES,
    INSTRUCTIONS,
    METHODS,
    ROUTES,
    VALUES,
    VOLATILE,
    Path,
    Route,
)

if TYPE_CHECKING:
    from shared.api.openapi import Operation
    from tests.integration.isolation.attacks.attacks import Answer


def changes_of(functions: Iterable[str]) -> dict[str, Operation]:
    """The changes of objects by PUT and PATCH that these functions declare, by line."""
    return {
        f"{one.method} {one.path}": one
        for function in functions
        for one in surfaces.declared(function).operations
        if one.method in METHODS
    }


def problems_of(companies: Any, functions: Iterable[str]) -> list[str]:
    """
    Send each object back as it was read, then again without each of its fields. Return what has changed by that: a
    field that is left out is required, or it keeps its value.
    """
    return [
        problem
        for line, operation in changes_of(functions).items()
        for problem in Client(companies, line, operation).problems()
    ]


@dataclass(slots=True)
class Client:
    """A client of company A that reads an object and sends it back."""

    companies: Any
    line: str
    operation: Operation

    @property
    def route(self) -> Route:
        return ROUTES[self.line]

    def problems(self) -> Iterator[str]:
        """What changes although a client has changed nothing."""
        self.prepare()
        yield from self.empty_fields()
        before = lasting(self.read())
        answer = self.send(self.line, self.sendable())
        if answer.status != HTTPStatus.OK or lasting(self.read()) != before:
            yield f"{self.line}, sent back: {answer}"
        for place in list(fields_of(self.sendable())):
            answer = self.send(self.line, without(self.sendable(), place))
            if answer.status not in {HTTPStatus.OK, HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT}:
                yield f"{self.line} without {place}: {answer}"
            if (after := lasting(self.read())) != before:
                yield f"{self.line} without {place}: {before} became {after}"
                before = after

    def empty_fields(self) -> Iterator[str]:
        """The fields without a value: a change that loses it would not be seen."""
        body = self.sendable()
        for name, one in self.operation.input_model.model_fields.items():
            if name in INSTRUCTIONS:
                continue
            value = body.get(one.alias or name)
            if value in (None, "", [], {}):
                yield f"{self.line}: {name} has no value to lose"

    def prepare(self) -> None:
        """Give the object's fields values of their own."""
        self.companies.with_a()
        kinds = {f"{{{kind}}}": own for kind, own in self.companies.names.items()}
        for line, values in self.route.before:
            named = {
                name: kinds.get(one, one) if isinstance(one, str) else one
                for name, one in values.items()
            }
            given = self._with_version(named) if line == self.line else named
            answer = self.send(line, given)
            assert answer.status == 200, answer

    def read(self) -> Any:
        """The object as it is now."""
        answer = self._send(self.route.read, None)
        assert answer.status == 200, answer
        return self.route.shown(json.loads(answer.text)["result"])

    def sendable(self) -> dict[str, Any]:
        """What a client sends of the object: all of it, or the fields that the route has."""
        body = self.route.body(self.read())
        model = self.operation.input_model
        if issubclass(model, Change) or model.model_config.get("extra") == "allow":
            return body
        fields = {one.alias or name for name, one in model.model_fields.items()}
        return {name: value for name, value in body.items() if name in fields}

    def send(self, line: str, body: Mapping[str, Any]) -> Answer:
        return self._send(line, body)

    def _with_version(self, body: dict[str, Any]) -> dict[str, Any]:
        """A change with the version that the object has."""
        present, fields = self.read(), self.operation.input_model.model_fields
        for name in ("version", "revision"):
            if name in fields:
                body.setdefault(name, present[name])
        if "based_on" in fields:
            body["based_on"] = present["number"]
        return body

    def _send(self, line: str, body: Any) -> Answer:
        names = self.companies.names
        call = Call(
            path={"code": "{code}", "key": "{key}", **self.route.path},
            body=body,
            headers={"Idempotency-Key": f"sent-back-{next(_KEYS)}"},
        )
        found: Answer = self.companies.send(line, _filled(call, names), owner_of(self.companies))
        return found


def _filled(call: Call, names: Mapping[str, str]) -> Call:
    """The call with A's items in its path: a body has its own braces."""
    return Call(path=Call(path=call.path).filled(names).path, body=call.body, headers=call.headers)


def lasting(shown: Any) -> Any:
    """An object without the values that change with every write."""
    if isinstance(shown, Mapping):
        return {name: lasting(one) for name, one in shown.items() if name not in VOLATILE}
    return [lasting(one) for one in shown] if isinstance(shown, list) else shown


def fields_of(body: Any, place: Path = ()) -> Iterator[Path]:
    """The places of all fields in a body, but those that say which object is meant."""
    if isinstance(body, Mapping):
        for name, value in body.items():
            if name not in IDENTITIES:
                yield (*place, name)
            if name not in VALUES:
                yield from fields_of(value, (*place, name))
    elif isinstance(body, Sequence) and not isinstance(body, str):
        for at, value in enumerate(body):
            yield from fields_of(value, (*place, at))


def without(body: Any, place: Path) -> Any:
    """A body without the field at a place."""
    first, *rest = place
    if isinstance(body, Mapping):
        if not rest:
            return {name: value for name, value in body.items() if name != first}
        return {**body, first: without(body[first], tuple(rest))}
    return [without(one, tuple(rest)) if at == first else one for at, one in enumerate(body)]
