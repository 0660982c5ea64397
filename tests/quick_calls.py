"""
Faster reads of moto's secrets and parameters, with the same results; `tests.quick_aws` installs them.

botocore signs these requests, and moto searches the service that they are for. Here a request is not signed, and goes
to moto's handler directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, Final

from tests.template import ACCOUNT, REGION

# Looked up by name: neither library types its internals.
_endpoint: Any = resolve_name("botocore.endpoint:Endpoint")
_stubber: Any = resolve_name("moto.core.botocore_stubber:BotocoreStubber")
_secrets: Any = resolve_name("moto.secretsmanager.responses:SecretsManagerResponse")
_parameters: Any = resolve_name("moto.ssm.responses:SimpleSystemManagerResponse")

# The handlers that moto answers with, by the target of a request.
_READS: Final = {
    "secretsmanager.GetSecretValue": _secrets,
    "AmazonSSM.GetParametersByPath": _parameters,
}


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
    target = params["headers"].get("X-Amz-Target")
    if target not in _READS or f".{REGION}.amazonaws.com" not in params["url"]:
        return _create_request(self, params, operation_model)
    headers = {name: str(value).encode() for name, value in params["headers"].items()}
    return Request(params["url"], headers, params["body"])


def _process(self: Any, request: Any) -> Any:
    """Calls moto's handler directly: moto compares the address with those of all services, and makes a WSGI request."""
    if type(request) is not Request:
        return _process_request(self, request)
    target = request.headers["X-Amz-Target"].decode()
    handler = _READS[target]()
    handler.headers = {
        name: request.headers[name].decode() for name in ("X-Amz-Target", "Content-Type")
    }
    handler.querystring, handler.uri_match = {}, {}
    handler.response_headers = {"server": "amazon.com"}
    handler.region, handler.current_account = REGION, ACCOUNT
    handler.body = request.body.decode()
    return handler.call_action()


REPLACED: Final = (
    (_endpoint, "create_request", _create),
    (_stubber, "process_request", _process),
)
