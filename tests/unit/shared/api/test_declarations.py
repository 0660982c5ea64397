"""The input model and the result of a route come from its function's signature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import Input
from shared.api.models.views import View
from shared.api.routing import route_methods
from shared.api.routing.declarations import signature_of
from shared.api.routing.routes import Request, Routes
from tests.cases import each


class ThingInput(Input):
    """Input of the routes."""


class ThingView(View):
    """Result of the routes."""


class OtherView(View):
    """Another result."""


def act_of(**annotations: object) -> Callable[..., Any]:
    def act() -> None:
        """Stands for the function of a route."""

    act.__annotations__ = annotations
    return act


@pytest.mark.parametrize(
    ("returned", "returns_result"),
    [
        (ThingView, True),
        (Page[ThingView], True),
        (Callable[[], ThingView], False),
        (Callable[[], Page[ThingView]], False),
        (Callable[[], ThingView] | ThingView, True),
        (ThingView | Page[ThingView], True),
        ("Page[ThingView]", True),
    ],
)
def test_the_signature_names_input_and_result(returned: object, returns_result: bool) -> None:
    act = act_of(request=Request[ThingInput], ref=str, **{"return": returned})

    signature = signature_of(act, Request, View)

    assert signature.input_model is ThingInput
    assert signature.result is ThingView
    assert signature.returns_result is returns_result


@each(
    ("annotations", "problem"),
    [
        ({"return": ThingView}, r"first parameter must be Request\[a model\]"),
        ({"ref": str, "return": ThingView}, r"first parameter must be Request\[a model\]"),
        ({"request": Request, "return": ThingView}, r"first parameter must be Request\[a model\]"),
        ({"request": Request[str], "return": ThingView}, r"first parameter must be Request\[a model\]"),
        ({"request": Request[ThingInput]}, "return type must name one View"),
        ({"request": Request[ThingInput], "return": None}, "return type must name one View"),
        ({"request": Request[ThingInput], "return": Page[Any]}, "return type must name one View"),
        ({"request": Request[ThingInput], "return": ThingView | OtherView}, "return type must name one View"),
        ({"request": "Request[NoInput]", "return": ThingView}, "not imported at runtime: .*NoInput"),
        ({"request": "route_methods.NoInput", "return": ThingView}, "not imported at runtime: .*NoInput"),
    ],
)  # fmt: skip
def test_a_function_that_does_not_name_both_is_refused_by_name(
    annotations: dict[str, Any], problem: str
) -> None:
    routes = Routes(title="Things", document="/openapi.json", errors={})

    with pytest.raises(TypeError, match=rf"test_declarations\.act_of\.<locals>\.act: .*{problem}"):
        routes.reads("GET /things", Scope.OPERATOR)(act_of(**annotations))

    assert routes.operations == []


@dataclass(frozen=True, slots=True)
class ThingRoutes:
    """Routes that are methods."""

    name: str

    @route_methods.reads("GET /things/{ref}", Scope.OPERATOR, Scope.AUDIT_READ)
    def read_thing(self, request: Request[ThingInput], ref: str) -> ThingView:
        """Read a thing."""
        return ThingView()

    def unmarked(self, request: Request[ThingInput]) -> ThingView:
        return ThingView()

    @route_methods.reads("GET /things", Scope.OPERATOR)
    def list_things(self, request: Request[ThingInput]) -> Page[ThingView]:
        """List things."""
        return Page(ThingView())


def test_marked_methods_are_declared_in_their_order() -> None:
    routes = Routes(title="Things", document="/openapi.json", errors={})

    routes.add(ThingRoutes("things"))

    declared = [(one.name, one.method, one.path, one.scopes) for one in routes.operations]
    assert declared == [
        ("read_thing", "GET", "/things/{ref}", (Scope.OPERATOR, Scope.AUDIT_READ)),
        ("list_things", "GET", "/things", (Scope.OPERATOR,)),
    ]
    assert {(one.input_model, one.result) for one in routes.operations} == {(ThingInput, ThingView)}
