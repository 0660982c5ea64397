"""What a provider module consists of, and the pieces that all of them answer with."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from local.sandbox.state import Sandbox

_SECRET_HEADERS = frozenset(
    {"authorization", "x-amz-security-token", "x-richpanel-key", "x-shopify-access-token"}
)


def json_response(
    payload: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer in ASCII: texts may hold lone surrogates, which no UTF-8 encoder takes."""
    return Response(json.dumps(payload), status, headers, media_type="application/json")


def parse_json(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a request body; ValueError when it is not JSON, not finite or nests too deep."""
    try:
        return json.loads(raw, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(number: str) -> float:
    if not math.isfinite(float(number)):
        raise ValueError("not a number that JSON can write")
    return float(number)


class Refused(Exception):
    """The provider would turn this request down with *response*, and would have done nothing."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"HTTP {response.status_code}")
        self.response = response


@dataclass(frozen=True)
class Call:
    """One request, read to its end."""

    sandbox: Sandbox
    request: Request
    raw: bytes

    @property
    def base_url(self) -> str:
        """The sandbox as this caller reaches it, without a slash at the end."""
        return str(self.request.base_url).rstrip("/")

    def headers_without_credentials(self) -> dict[str, str]:
        """The request's headers, for the record."""
        return {
            name: value
            for name, value in self.request.headers.items()
            if name not in _SECRET_HEADERS
        }


@dataclass(frozen=True)
class Answer:
    """
    The provider acted. `body` is the request's body as it understood it: what `/_sent` shows.

    Work that goes on behind the answer (status webhooks) is the response's background task.
    """

    response: Response
    body: object = None


@dataclass(frozen=True)
class Endpoint:
    """
    One path of a provider. `act` carries a request out, or raises `Refused`.

    `choose` names the operation by the raw body, where one path serves several.
    """

    method: str
    path: str
    operations: tuple[str, ...]
    act: Callable[[Call], Awaitable[Answer]]
    choose: Callable[[bytes], str] | None = None

    def operation(self, raw: bytes) -> str:
        """The operation that this body asks for."""
        return self.choose(raw) if self.choose else self.operations[0]


@dataclass(frozen=True)
class Provider:
    """A service that the sandbox plays. `failure` is its answer when told to fail with a status."""

    name: str
    endpoints: tuple[Endpoint, ...]
    failure: Callable[[int], Response]
