"""
Derives the attacks on an API from its declared routes: path parameters, queries and bodies name items of company A.

Each optional field that can name an item of A makes an attack of its own, and so does the cursor of each list. Values
of other required fields are made from the schema of the input model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shared.api.auth import PROJECT_SCOPES, Scope
from tests.integration.isolation import surfaces
from tests.integration.isolation.attacks.attacks import Attack, Call, owner_of

if TYPE_CHECKING:
    from shared.api.openapi import Operation
    from tests.integration.isolation.attacks.attacks import System

type Input = Mapping[str, Any]

KEY = {"Idempotency-Key": "the-same-key"}
CURSOR, LIMIT = "cursor", "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """
    The parts of a route's attacks that its declaration does not say.

    *inputs* replace the derived queries or bodies. *path* has values of path parameters. *is_blind*, *has_no_projects*
    as in `Attack`.
    """

    inputs: tuple[Input, ...] = ()
    path: Mapping[str, str] = field(default_factory=dict)
    is_blind: str = ""
    has_no_projects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """
    The routes of *functions* and the attacks on them.

    *values* are values of path parameters and fields: of A's items as `{kind}`, or literally. A parameter without one
    has the kind of its own name. *special* routes are named by their lines. *more* are attacks beside the derived ones.
    """

    functions: tuple[str, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    special: Mapping[str, Special] = field(default_factory=dict)
    more: tuple[Attack, ...] = ()

    @property
    def lines(self) -> set[str]:
        """All attacked routes."""
        found = {_line(one) for one in self._operations()} | {one.line for one in self.more}
        return found | {f"GET {surfaces.declared(name).document}" for name in self.functions}

    def attacks(self, names: Mapping[str, str]) -> list[Attack]:
        """All attacks with A's items *names*. Raises AssertionError for special routes that do not exist."""
        assert self.special.keys() <= self.lines
        return [
            *(one for operation in self._operations() for one in self._of_route(operation, names)),
            *map(_of_document, self.functions),
            *self.more,
        ]

    def cursors(self, system: System) -> dict[str, str]:
        """The cursor of each list of A that has a second page, by kind; *system* has A's items."""
        found = {}
        for operation in self._operations():
            if operation.method == "GET" and operation.is_paged:
                for attack in self._of_route(operation, system.names):
                    call = attack.call.filled(system.names)
                    call = replace(call, query={**call.query, LIMIT: "1"})
                    page = json.loads(system.send(attack.line, call, owner_of(system)).text)
                    if CURSOR in page:
                        found[_cursor_of(attack.line, attack.call.query)] = page[CURSOR]
        return found

    def _operations(self) -> Iterator[Operation]:
        for function in self.functions:
            yield from surfaces.declared(function).operations

    def _of_route(self, operation: Operation, names: Mapping[str, str]) -> Iterator[Attack]:
        line = _line(operation)
        special = self.special.get(line, Special())
        scopes = tuple(Scope(scope) for scope in operation.scopes)
        parameters = re.findall(r"{(\w+)}", operation.path)
        path = {one: special.path.get(one) or self._value(one, names) for one in parameters}
        assert None not in path.values(), f"{line}: no item of A for one of {parameters}"
        inputs = special.inputs or tuple(self._inputs(operation, names))
        for given in (*inputs, *_next_pages(line, inputs, names)):
            is_get = operation.method == "GET"
            yield Attack(
                line=line,
                scopes=scopes,
                call=Call(
                    path=path,
                    query=given if is_get else {},
                    body=None if is_get else given,
                    headers=KEY if operation.key else {},
                ),
                is_change=operation.key is not None,
                is_public=operation.is_open,
                has_no_projects=special.has_no_projects
                or bool(scopes and PROJECT_SCOPES.isdisjoint(scopes)),
                is_blind=special.is_blind,
            )

    def _inputs(self, operation: Operation, names: Mapping[str, str]) -> Iterator[Input]:
        """The required fields; then with each optional one that names an item of A."""
        schema = operation.input_model.model_json_schema(by_alias=True)
        fields = schema.get("properties", {})
        required = {
            name: _or_else(self._value(name, names), _example(fields[name], schema))
            for name in schema.get("required", ())
        }
        named = {name: self._value(name, names) for name in fields if name not in required}
        yield required
        yield from (required | {n: value} for n, value in named.items() if value is not None)

    def _value(self, name: str, names: Mapping[str, str]) -> Any:
        return self.values.get(name, f"{{{name}}}" if name in names else None)


@contextmanager
def with_cursors[S: System](
    running: Callable[[], AbstractContextManager[S]], api: Api
) -> Iterator[S]:
    """A running system whose names include the cursors of A's lists."""
    with running() as companies:
        companies.with_a()
        companies.names = {**companies.names, **api.cursors(companies)}
        yield companies


def _line(operation: Operation) -> str:
    return f"{operation.method} {operation.path}"


def _or_else(value: Any, other: Any) -> Any:
    return other if value is None else value


def _next_pages(line: str, inputs: Iterable[Input], names: Mapping[str, str]) -> Iterator[Input]:
    """The second pages of a list, by A's cursors."""
    for given in inputs:
        cursor = _cursor_of(line, given)
        if cursor in names:
            yield {**given, LIMIT: "1", CURSOR: f"{{{cursor}}}"}


def _cursor_of(line: str, query: Input) -> str:
    """The kind of a list's cursor, by route and filters."""
    return " ".join([CURSOR, "of", re.sub("[{}]", "", line), *sorted(query)])


def _of_document(function: str) -> Attack:
    """The OpenAPI document of an API; each scope of the API allows reading it."""
    routes = surfaces.declared(function)
    return Attack(
        line=f"GET {routes.document}",
        scopes=(*routes.more_scopes, *routes.scopes),
        call=Call(),
        is_blind="the document describes the routes and holds nothing of a company",
    )


def _example(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Any:
    """The smallest value of a schema: of an object its required properties."""
    while "$ref" in schema:
        schema = document["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], document)
    kind = str(schema.get("type"))
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "array":
        return [_example(schema["items"], document)]
    if kind == "object":
        return {
            name: _example(schema["properties"][name], document)
            for name in schema.get("required", ())
        }
    return {"integer": max(schema.get("minimum", 1), 1), "boolean": True}.get(
        str(kind), "Of the attacker"
    )
