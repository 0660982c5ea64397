"""
Faster calls of moto's queues, secrets, parameters and descriptions of tables, with the same results;
`tests.aws.quick_aws` installs them.

botocore signs these requests, and moto searches the service that they are for. Here a request is not signed, and goes
to moto's handler directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlparse

from tests.tables.operations import lock
from tests.template import ACCOUNT, REGION

# Looked up by name: neither library types its internals.
_endpoint: Any = resolve_name("botocore.endpoint:Endpoint")
_stubber: Any = resolve_name("moto.core.botocore_stubber:BotocoreStubber")
_refused: Any = resolve_name("moto.core.exceptions:HTTPException")

# The handlers that moto answers with, by the service in the target of a request.
_HANDLERS: Final[dict[str, Any]] = {
    "AmazonSQS": resolve_name("moto.sqs.responses:SQSResponse"),
    "AmazonSSM": resolve_name("moto.ssm.responses:SimpleSystemManagerResponse"),
    "DynamoDB_20120810": resolve_name("moto.dynamodb.responses:DynamoHandler"),
    "secretsmanager": resolve_name("moto.secretsmanager.responses:SecretsManagerResponse"),
}
# The items of tables are in `tests.tables`.
_OF_TABLES: Final = ("Describe", "ListTables")


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


_create_request = _endpoint.create_request
_process_request = _stubber.process_request


def _create(self: Any, params: dict[str, Any], operation_model: Any = None) -> Any:
    target = params["headers"].get("X-Amz-Target", "")
    if not _is_ours(target) or f".{REGION}.amazonaws.com" not in params["url"]:
        return _create_request(self, params, operation_model)
    headers = {name: str(value).encode() for name, value in params["headers"].items()}
    return Request(params["url"], headers, params["body"])


def _is_ours(target: str) -> bool:
    service, _, operation = target.partition(".")
    if service == "DynamoDB_20120810":
        return operation.startswith(_OF_TABLES)
    return service in _HANDLERS


def _process(self: Any, request: Any) -> Any:
    """The answer of moto, to one thread at a time: moto iterates over what calls of other threads would change."""
    with lock:
        return _handled(request) if type(request) is Request else _process_request(self, request)


def _handled(request: Request) -> Any:
    """Calls moto's handler directly: moto compares the address with each service's, and makes a WSGI request."""
    target = request.headers["X-Amz-Target"].decode()
    handler = _HANDLERS[target.partition(".")[0]]()
    handler.headers = {
        name: request.headers[name].decode() for name in ("X-Amz-Target", "Content-Type")
    }
    handler.uri, handler.method = request.url, request.method
    handler.parsed_url = urlparse(request.url)
    handler.path = handler.raw_path = handler.parsed_url.path
    handler.querystring, handler.uri_match = {}, {}
    handler.response_headers = {"server": "amazon.com"}
    handler.region, handler.partition, handler.current_account = REGION, "aws", ACCOUNT
    handler.body = request.body.decode()
    try:
        if handler.automated_parameter_parsing:
            handler.parse_parameters(_parsed(handler, request))
        return handler.call_action()
    except _refused as error:
        return error.code, error.get_headers(), error.get_body()


def _parsed(handler: Any, request: Request) -> Any:
    """What moto's parser of parameters reads of a request."""
    return SimpleNamespace(
        content_type=handler.headers["Content-Type"],
        data=request.body,
        headers=handler.headers,
        method=request.method,
        path=handler.path,
        values={},
    )


REPLACED: Final = (
    (_endpoint, "create_request", _create),
    (_stubber, "process_request", _process),
)
