"""
Marks methods as routes: for classes that hold the dependencies of their routes.

    class ThingRoutes:
        @route_methods.reads("GET /things", Scope.THINGS_READ)
        def list_things(self, request: Request[NoInput]) -> ThingsView: ...

    routes.add(ThingRoutes())
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from shared.api.routing.routes import DECLARE

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.auth import Scope
    from shared.api.routing.routes import Change, Open, Read, Routes


def reads[M: Read](line: str, *scopes: Scope) -> Callable[[M], M]:
    """Mark a method as a read route (`Routes.reads`)."""
    return _marking(lambda routes: routes.reads(line, *scopes))


def changes[M: Change](
    line: str, *scopes: Scope, status: HTTPStatus = HTTPStatus.OK
) -> Callable[[M], M]:
    """Mark a method as a route that changes something (`Routes.changes`)."""
    return _marking(lambda routes: routes.changes(line, *scopes, status=status))


def opens[M: Open](line: str) -> Callable[[M], M]:
    """Mark a method as a route without a caller (`Routes.opens`)."""
    return _marking(lambda routes: routes.opens(line))


def _marking[M: Callable[..., Any]](
    decorator_of: Callable[[Routes], Callable[[Any], Any]],
) -> Callable[[M], M]:
    def mark(method: M) -> M:
        setattr(method, DECLARE, decorator_of)
        return method

    return mark
