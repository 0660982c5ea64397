"""JSON responses, and the responses to bad input of control routes."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError


def json_response(
    payload: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response in ASCII: texts may contain lone surrogates, which UTF-8 cannot encode."""
    return Response(json.dumps(payload), status, headers, media_type="application/json")


def bad_input(*broken: tuple[str, str], status: int = 400) -> Response:
    """Return an error response that names each *broken* (field, rule)."""
    errors = [{"field": field, "rule": rule} for field, rule in broken]
    return json_response({"errors": errors}, status)


def broken_rules(error: ValidationError) -> list[tuple[str, str]]:
    """Return each (field, rule) that the input breaks, without the input."""
    broken = error.errors(include_url=False, include_input=False)
    return [(".".join(map(str, b["loc"])) or "body", b["msg"]) for b in broken]


def aws_error(name: str, message: str, status: int = 400) -> Response:
    """Return an error of the REST-JSON protocol: name in a header, message in the body."""
    headers = {"x-amzn-ErrorType": name, "x-amzn-RequestId": str(uuid.uuid4())}
    return json_response({"message": message}, status, headers)
