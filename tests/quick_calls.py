"""
Faster calls of moto's tables, secrets and parameters, with the same results; `tests.quick_aws` installs them.

botocore validates, serialises, signs and parses each of them in general terms. Here a request is the JSON of its
parameters. All events that can change a request or answer it happen: `before-call`, `before-send`, `after-call`. Calls
with bytes, invalid ones, all other operations and the repetition of a failed call are left to botocore.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from tests.template import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable

# Looked up by name: neither library types its internals.
_client: Any = resolve_name("botocore.client:BaseClient")
_endpoint: Any = resolve_name("botocore.endpoint:Endpoint")
_response_of: Any = resolve_name("botocore.endpoint:convert_to_response_dict")
_first_response: Any = resolve_name("botocore.hooks:first_non_none_response")
_requests: Any = resolve_name("botocore.awsrequest")
_stubber: Any = resolve_name("moto.core.botocore_stubber:BotocoreStubber")
_tables: Any = resolve_name("moto.dynamodb.responses:DynamoHandler")
_secrets: Any = resolve_name("moto.secretsmanager.responses:SecretsManagerResponse")
_parameters: Any = resolve_name("moto.ssm.responses:SimpleSystemManagerResponse")

TABLES: Final = f"https://dynamodb.{REGION}.amazonaws.com"
ITEM_OPERATIONS: Final = frozenset(
    {
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    }
)
# Operations of other services that moto answers directly, by their target.
_READS: Final = {
    b"secretsmanager.GetSecretValue": _secrets,
    b"AmazonSSM.GetParametersByPath": _parameters,
}
_OK: Final = 200
# Parts of responses that botocore converts.
_CONVERTED: Final = (b'"B":', b'"BS":', b"ConsumedCapacity", b"ItemCollectionMetrics")


@dataclass(slots=True)
class Request:
    """An unsigned request: moto reads the account and region of other services from a signature, but checks none."""

    url: str
    headers: dict[str, bytes]
    body: bytes
    method: str = "POST"
    stream_output: bool = False

    def reset_stream(self) -> None:
        """A body of bytes needs no reset."""


# Parameters

_convert = _client._convert_to_request_dict


def _converted(
    self: Any, api_params: Any, operation_model: Any, endpoint_url: str, context: Any = None, **named: Any
) -> Any:  # fmt: skip
    """The request of an operation on items whose parameters are plain."""
    operation = operation_model.name
    if endpoint_url != TABLES or operation not in ITEM_OPERATIONS:
        return _convert(self, api_params, operation_model, endpoint_url, context, **named)
    if not (_required(operation_model) <= api_params.keys() and _is_plain(api_params)):
        return _convert(self, api_params, operation_model, endpoint_url, context, **named)
    return {
        "url_path": "/",
        "query_string": "",
        "method": "POST",
        "headers": {
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "User-Agent": "tests",
        },
        "body": json.dumps(api_params).encode(),
        "url": f"{TABLES}/",
        "context": {} if context is None else context,
    }


@functools.cache
def _required(operation_model: Any) -> frozenset[str]:
    return frozenset(operation_model.input_shape.required_members)


def _is_plain(params: Any) -> bool:
    """Whether all parameters are known and valid, and JSON as they are."""
    return type(params) is dict and all(
        name in _PARAMETERS and _PARAMETERS[name](value) for name, value in params.items()
    )


def _is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _are_names(value: Any) -> bool:
    return type(value) is dict and all(map(_is_text, (*value, *value.values())))


def _is_item(value: Any) -> bool:
    return type(value) is dict and all(
        type(name) is str and is_valid(part) for name, part in value.items()
    )


def _are_transacted(value: Any) -> bool:
    return (
        type(value) is list
        and value != []
        and all(
            type(one) is dict
            and one.keys() <= _TRANSACTED.keys()
            and all(
                _is_plain(part) and _TRANSACTED[name] <= part.keys() for name, part in one.items()
            )
            for one in value
        )
    )


_TRANSACTED: Final = {
    "ConditionCheck": {"Key", "TableName", "ConditionExpression"},
    "Put": {"Item", "TableName"},
    "Delete": {"Key", "TableName"},
    "Update": {"Key", "TableName", "UpdateExpression"},
    "Get": {"Key", "TableName"},
}
_PARAMETERS: Final[dict[str, Callable[[Any], bool]]] = {
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
        _is_text,
    ),
    **dict.fromkeys(("ConsistentRead", "ScanIndexForward"), _is_flag),
    **dict.fromkeys(("ExclusiveStartKey", "ExpressionAttributeValues", "Item", "Key"), _is_item),
    "ExpressionAttributeNames": _are_names,
    "Limit": _is_count,
    "TransactItems": _are_transacted,
}
_VALUES: Final = {"S": str, "N": str, "BOOL": bool, "NULL": bool}
_SETS: Final = frozenset({"SS", "NS"})


def is_valid(value: Any) -> bool:
    """Whether an attribute is valid, and has no bytes; a text without characters is valid."""
    if type(value) is not dict or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    if kind in _VALUES:
        return type(content) is _VALUES[kind]
    if kind == "M":
        return _is_item(content)
    if kind == "L":
        return type(content) is list and all(map(is_valid, content))
    return kind in _SETS and type(content) is list and all(type(one) is str for one in content)


# Requests

_create_request = _endpoint.create_request
_get_response = _endpoint._get_response
_needs_retry = _endpoint._needs_retry


def _create(self: Any, params: dict[str, Any], operation_model: Any = None) -> Any:
    headers = {name: str(value).encode() for name, value in params["headers"].items()}
    body = params["body"]
    if params["url"] == f"{TABLES}/":
        if isinstance(body, bytes) and b'"B":' not in body and b'"BS":' not in body:
            return Request(params["url"], headers, body)
        return _requests.AWSPreparedRequest(
            "POST", params["url"], _requests.HeadersDict(headers), body, stream_output=False
        )
    if headers.get("X-Amz-Target") in _READS and f".{REGION}.amazonaws.com" in params["url"]:
        return Request(params["url"], headers, body)
    return _create_request(self, params, operation_model)


def _respond(self: Any, request: Any, operation_model: Any, context: Any) -> Any:
    """The response and what it says, or the error: parsed at once if it has nothing that botocore converts."""
    if type(request) is not Request:
        return _get_response(self, request, operation_model, context)
    service = operation_model.service_model.service_id.hyphenize()
    try:
        name = f"before-send.{service}.{operation_model.name}"
        response = _first_response(self._event_emitter.emit(name, request=request))
        if response is None:
            response = self._send(request)
    except Exception as error:  # noqa: BLE001 - as in botocore, which decides about a repetition
        return None, error
    content = response.content
    if (
        response.status_code == _OK
        and operation_model.name in ITEM_OPERATIONS
        and not any(part in content for part in _CONVERTED)
    ):
        headers = {name.lower(): value for name, value in response.headers.items()}
        about = {"HTTPStatusCode": _OK, "HTTPHeaders": headers, "RetryAttempts": 0}
        if "x-amzn-requestid" in headers:
            about["RequestId"] = headers["x-amzn-requestid"]
        return (response, json.loads(content or b"{}") | {"ResponseMetadata": about}), None
    said = _response_of(response, operation_model)
    parser = self._response_parser_factory.create_parser(
        operation_model.service_model.resolved_protocol
    )
    parsed = parser.parse(said, operation_model.output_shape)
    if response.status_code > _OK:
        self._add_modeled_error_fields(said, parsed, operation_model, parser)
    return (response, parsed), None


def _repeats(  # noqa: PLR0917 - the signature of botocore
    self: Any, attempts: Any, operation_model: Any, request_dict: Any, response: Any = None, error: Any = None
) -> Any:  # fmt: skip
    """Nothing asks for the repetition of a call of tables that succeeded."""
    is_done = response is not None and response[0].status_code == _OK
    if is_done and request_dict["url"] == f"{TABLES}/":
        return False
    return _needs_retry(self, attempts, operation_model, request_dict, response, error)


# Routing in moto


_process_request = _stubber.process_request


def _process(self: Any, request: Any) -> Any:
    """
    Calls moto's handlers directly: a header names the operation, and the body has its parameters.

    moto compares the address with those of all services, and makes a WSGI request of it.
    """
    if type(request) is not Request:
        return _process_request(self, request)
    target = request.headers["X-Amz-Target"]
    handler = _READS.get(target, _tables)()
    handler.headers = {
        name: request.headers[name].decode() for name in ("X-Amz-Target", "Content-Type")
    }
    handler.querystring, handler.uri_match = {}, {}
    handler.response_headers = {"server": "amazon.com"}
    handler.region, handler.current_account = REGION, ACCOUNT
    if target in _READS:
        handler.body = request.body.decode()
    else:
        handler.params = json.loads(request.body)
    return handler.call_action()


REPLACED: Final = (
    (_client, "_convert_to_request_dict", _converted),
    (_endpoint, "create_request", _create),
    (_endpoint, "_get_response", _respond),
    (_endpoint, "_needs_retry", _repeats),
    (_stubber, "process_request", _process),
)
