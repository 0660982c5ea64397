"""The interface of provider modules: endpoints, requests, responses and refusals."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from local.sandbox.state import Sandbox

_SECRET_HEADERS = frozenset(
    {"authorization", "x-amz-security-token", "x-richpanel-key", "x-shopify-access-token"}
)


def parse_json(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a request body. Raises ValueError: not JSON, not finite, or nested too deeply."""
    try:
        return json.loads(raw, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(number: str) -> float:
    if not math.isfinite(float(number)):
        raise ValueError("not a number that JSON can represent")
    return float(number)


class Refused(Exception):
    """The provider refuses the request with *response* and executes nothing."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"HTTP {response.status_code}")
        self.response = response


@dataclass(frozen=True)
class Call:
    """One request with its whole body."""

    sandbox: Sandbox
    request: Request
    raw: bytes

    @property
    def base_url(self) -> str:
        """The sandbox's address as used by this caller, without a trailing slash."""
        return str(self.request.base_url).rstrip("/")

    def headers_without_credentials(self) -> dict[str, str]:
        """Return the request's headers without credentials, to be recorded."""
        return {
            name: value
            for name, value in self.request.headers.items()
            if name not in _SECRET_HEADERS
        }


@dataclass(frozen=True)
class Answer:
    """
    The provider executed the request. `body` is the parsed request body, which `/_sent` returns.

    Work after the response (status webhooks) is the response's background task.
    """

    response: Response
    body: object = None


@dataclass(frozen=True)
class Endpoint:
    """
    One path of a provider. `act` executes a request, or raises `Refused`.

    `choose` returns the operation of a request, if one path serves several.
    """

    method: str
    path: str
    operations: tuple[str, ...]
    act: Callable[[Call], Awaitable[Answer]]
    choose: Callable[[Call], str] | None = None

    def operation(self, call: Call) -> str:
        """Return the operation of this request."""
        return self.choose(call) if self.choose else self.operations[0]


@dataclass(frozen=True)
class Provider:
    """A simulated service. `failure` returns its response for a configured fault with a status."""

    name: str
    endpoints: tuple[Endpoint, ...]
    failure: Callable[[int], Response]
