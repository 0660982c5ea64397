"""Reads a form's JSON from the request or from the media bucket."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from botocore.exceptions import ClientError
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from shared.api.errors import InvalidInput
from shared.aws.stored_objects import MEDIA_PREFIX
from shared.runtime.json_objects import json_object
from whatsapp.actions.flows import flow_json
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import uploads_of

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.flows.flow_json import Problem

LARGEST_IN_REQUEST = 3 << 20
_DEEPEST = 60


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    if _depth(value) > _DEEPEST or len(json.dumps(value)) > LARGEST_IN_REQUEST:
        problem = f"must have at most {LARGEST_IN_REQUEST} bytes and {_DEEPEST} levels"
        raise PydanticCustomError("size", problem)
    return value


def _depth(value: object) -> int:
    """Return the number of levels, counted level by level: deeply nested input must not exhaust the stack."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        containers = [one for one in level if isinstance(one, dict | list)]
        level = [child for one in containers for child in _children(one)]
        depth += bool(containers)
    return depth


def _children(container: dict[str, Any] | list[Any]) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else container


type FlowJson = Annotated[
    dict[str, Any],
    AfterValidator(_bounded),
    Field(json_schema_extra={"x-maxBytes": LARGEST_IN_REQUEST, "x-maxLevels": _DEEPEST}),
]


def document_of(
    call: Call[Any], given: dict[str, Any] | None, s3_key: str | None
) -> dict[str, Any] | None:
    """Return the JSON of an input; None if there is none. Raises InvalidInput and NotFound."""
    return given if s3_key is None else _stored(call, s3_key)


def checked(document: dict[str, Any], field: str = "flowJson") -> bytes:
    """
    Return a form's JSON as bytes. Raises InvalidInput for each broken rule.

    Each value has a line of its own: the provider names the lines of its errors.
    """
    found = flow_json.problems(document)
    if found:
        raise InvalidInput([_shown(field, one) for one in found])
    return json.dumps(document, indent=0, separators=(",", ":")).encode()


def _shown(field: str, one: Problem) -> dict[str, str]:
    return {"field": f"{field}.{one.path}", "problem": one.problem}


def _stored(call: Call[Any], key: str) -> dict[str, Any]:
    """Return the JSON of an object of the company's uploads or media."""
    folders = (uploads_of(call.company), f"{MEDIA_PREFIX}{call.company}/")
    if not key.startswith(folders):
        raise NotFound("flowJsonS3Key: object not found")
    bucket = call.resources.bucket
    try:
        is_small = bucket.size(key) <= flow_json.LARGEST_BYTES
        content = bucket.get(key) if is_small else b""
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in {403, 404}:
            raise
        raise NotFound("flowJsonS3Key: object not found") from None
    if not is_small:
        raise _invalid(f"must have at most {flow_json.LARGEST_BYTES} bytes")
    found = json_object(content)
    if found is None or _depth(found) > _DEEPEST:
        raise _invalid(f"must be a JSON object of at most {_DEEPEST} levels")
    return found


def _invalid(problem: str) -> InvalidInput:
    return InvalidInput([{"field": "flowJsonS3Key", "problem": problem}])
