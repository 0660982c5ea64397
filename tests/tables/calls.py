"""
The calls of DynamoDB clients on items, without requests: `install` replaces them in botocore.

All events that can change a call or answer it happen, as in botocore: `provide-client-params`,
`before-parameter-build`, `before-call`, `before-send` for each attempt, `needs-retry` after one that failed, and
`after-call`. Clients of other addresses, and all clients while moto is not active, are left to botocore.
"""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from botocore.compat import HTTPHeaders

from tests.tables.errors import Malformed, Refused
from tests.tables.operations import OPERATIONS, run
from tests.tables.storage import REGION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Looked up by name: neither library types its internals.
_client: Any = resolve_name("botocore.client:BaseClient")
_endpoint: Any = resolve_name("botocore.endpoint")
_stubber: Any = resolve_name("moto.core.botocore_stubber:BotocoreStubber")
_moto: Any = resolve_name("moto.core.models:botocore_stubber")
_response_of: Any = resolve_name("botocore.endpoint:convert_to_response_dict")
_first: Any = resolve_name("botocore.hooks:first_non_none_response")

ADDRESS: Final = f"https://dynamodb.{REGION}.amazonaws.com"
# All parameters that the operations know.
_TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(
        (
            "ClientRequestToken",
            "ConditionExpression",
            "FilterExpression",
            "IndexName",
            "KeyConditionExpression",
            "ProjectionExpression",
            "ReturnConsumedCapacity",
            "ReturnValues",
            "ReturnValuesOnConditionCheckFailure",
            "Select",
            "TableName",
            "UpdateExpression",
        ),
        str,
    ),
    **dict.fromkeys(("ConsistentRead", "ScanIndexForward"), bool),
    **dict.fromkeys(
        ("ExclusiveStartKey", "ExpressionAttributeNames", "ExpressionAttributeValues", "Item", "Key", "RequestItems"),
        dict,
    ),
    **dict.fromkeys(("Limit", "Segment", "TotalSegments"), int),
    "TransactItems": list,
}  # fmt: skip
_OK: Final = 200
_REFUSED: Final = 400
_JSON: Final = "application/x-amz-json-1.0"
_call: Final = _client._make_api_call
_stub: Final = _stubber.__call__
_is_on = True


class Request(dict[str, Any]):
    """The request of a call, as hooks see it. Its body is written only if one reads it."""

    url: Final = f"{ADDRESS}/"
    method: Final = "POST"

    def __init__(self, operation: str, parameters: Mapping[str, Any], context: Any) -> None:
        self.headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": _JSON}
        super().__init__(
            url_path="/",
            query_string="",
            method="POST",
            url=self.url,
            headers=self.headers,
            context=context,
        )
        self.operation, self.parameters = operation, parameters  # fmt: skip

    def __missing__(self, name: str) -> Any:
        if name != "body":
            raise KeyError(name)
        return self.body

    @property
    def body(self) -> bytes:
        return json.dumps(
            self.parameters, default=lambda part: base64.b64encode(part).decode()
        ).encode()


class Response:
    """The answer of a call, which nothing has to parse."""

    url: Final = f"{ADDRESS}/"

    def __init__(self, status: int, parsed: dict[str, Any]) -> None:
        self.status_code, self.headers = status, HTTPHeaders()
        about = {
            "RequestId": "request",
            "HTTPStatusCode": status,
            "HTTPHeaders": {"content-type": _JSON},
        }
        self.parsed = {**parsed, "ResponseMetadata": {**about, "RetryAttempts": 0}}  # fmt: skip


def answered(request: Request) -> Response:
    """Execute a call."""
    try:
        return Response(_OK, run(request.operation, request.parameters))
    except Refused as error:
        about = {"Message": error.message, "Code": error.code}
        more = {"message": error.message, **error.more}
        return Response(_REFUSED, {"Error": about, **more})


def _answer(self: Any, event_name: str, request: Any, **more: Any) -> Any:
    """The hook of moto, to which interceptors hand on requests."""
    return (
        answered(request) if type(request) is Request else _stub(self, event_name, request, **more)
    )


def _make(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
    """A call of a client."""
    is_ours = operation in OPERATIONS and self.meta.endpoint_url == ADDRESS
    if not (is_ours and _is_on and _moto.enabled):
        return _call(self, operation, parameters)
    model, events = self._service_model.operation_model(operation), self.meta.events
    context = {"client_region": REGION, "client_config": self.meta.config}
    parameters = self._emit_api_params(
        api_params=parameters, operation_model=model, context=context
    )
    request = Request(operation, parameters, context)
    required = set(model.input_shape.required_members)
    if not (required <= parameters.keys() and _are_known(parameters)):
        self._serializer.serialize_to_request(parameters, model)  # which says what is wrong
        assert parameters.keys() <= _TYPES.keys(), "the tables of the tests have all parameters"
    _, found = events.emit_until_response(
        f"before-call.dynamodb.{operation}",
        model=model,
        params=request,
        request_signer=self._request_signer,
        context=context,
    )
    try:
        http, parsed = _sent(self._endpoint, request, model) if found is None else found
    except Malformed:
        self._serializer.serialize_to_request(parameters, model)
        raise
    events.emit(
        f"after-call.dynamodb.{operation}",
        http_response=http,
        parsed=parsed,
        model=model,
        context=context,
    )
    if http.status_code != _OK:
        raise self.exceptions.from_code(parsed["Error"]["Code"])(parsed, operation)
    return parsed  # fmt: skip


def _are_known(parameters: Any) -> bool:
    """Whether all parameters are known, and have their types."""
    return all(
        name in _TYPES and isinstance(value, _TYPES[name]) and value != ""
        for name, value in parameters.items()
    ) and bool(parameters.get("Limit", 1) > 0)


def _sent(endpoint: Any, request: Request, model: Any) -> Any:
    """The answer, after repetitions if the SDK repeats a failed attempt."""
    attempts = 1
    while True:
        answer, error = _attempt(endpoint, request, model)
        if answer is not None and type(answer[0]) is Response:
            break  # nothing asks for the repetition of a call that the tables have answered
        if not endpoint._needs_retry(attempts, model, request, answer, error):
            break
        attempts += 1
    if error is not None:
        raise error
    answer[1]["ResponseMetadata"]["RetryAttempts"] = attempts - 1
    return answer


def _attempt(endpoint: Any, request: Request, model: Any) -> Any:
    """An answer with what it says, or an error."""
    name = f"before-send.dynamodb.{model.name}"
    try:
        http = _first(endpoint._event_emitter.emit(name, request=request))
    except Malformed:
        raise
    except Exception as error:  # noqa: BLE001 - as in botocore, which decides about a repetition
        return None, error
    assert http is not None, "a hook of moto, or of an interceptor, answers"
    if type(http) is Response:
        return (http, http.parsed), None
    said = _response_of(http, model)
    parser = endpoint._response_parser_factory.create_parser(model.service_model.resolved_protocol)
    parsed = parser.parse(said, model.output_shape)
    if http.status_code != _OK:
        endpoint._add_modeled_error_fields(said, parsed, model, parser)
    return (http, parsed), None


def install() -> None:
    """Answer the calls of all clients from now on."""
    _client._make_api_call = _make
    _stubber.__call__ = _answer


@contextmanager
def left_to_moto() -> Iterator[None]:
    """Leave calls on items to moto inside the context manager; its tables must be created there."""
    global _is_on  # noqa: PLW0603 - one switch per process
    _is_on = False
    try:
        yield
    finally:
        _is_on = True
