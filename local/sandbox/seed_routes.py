"""Handlers of the control routes that take a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from local.sandbox.responses import bad_input, broken_rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from local.sandbox.accounts.seeds import Seed
    from local.sandbox.state import Sandbox


def seed_route[SeedType: Seed](
    shape: type[SeedType], act: Callable[[Sandbox, SeedType], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    """Return a route handler that parses its body as *shape* and passes it to *act*; invalid input gets 400."""

    async def handle(request: Request) -> Response:
        try:
            seed = shape.model_validate_json(await request.body())
        except ValidationError as error:
            return bad_input(*broken_rules(error))
        return await act(request.app.state.sandbox, seed)

    return handle
