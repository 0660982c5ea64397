"""
Calls of the APIs of the contexts in the name of a caller, as API Gateway makes them.

So a change of many conversations has the scopes, the projects, the conflicts, the idempotency keys and the audit log of
single changes. API Gateway's rate is not asked: one call follows the other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from shared.api.routing.routes import KEY_HEADER
from shared.aws.sqs_fifo import to_json
from shared.runtime.failures import Transient
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.api.auth import Caller
    from shared.inbox.items import Context


class Refused(Exception):
    """The API of a context has refused a call. *code* is the code of its error; no retry can succeed."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a route such as `PATCH /email-threads/{conversation_id}`, with the key that its path names."""

    line: str
    path: Mapping[str, str]
    body: Mapping[str, Any] | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions that are invoked, by their names with the alias: the inbox's own, and one for each context."""

    client: Callable[[], Any]  # of Lambda
    own: str
    of_contexts: Mapping[Context, str]

    def call(self, context: Context, caller: Caller, call: Call, request_id: str) -> dict[str, Any]:
        """
        Return the result of a call.

        Raises Refused, and Transient for what passes: no answer, a failing function, an error that may be retried.
        """
        payload = to_json(event_of(caller, call, request_id)).encode()
        try:
            answer = self.client().invoke(FunctionName=self.of_contexts[context], Payload=payload)
            text = answer["Payload"].read()
        except (ClientError, BotoCoreError, OSError):
            raise Transient("context_unreachable") from None
        response = json_object(text.decode())
        if answer.get("FunctionError") or response is None or "statusCode" not in response:
            raise Transient("context_failed")
        content = json_object(str(response.get("body") or "{}")) or {}
        status = int(response["statusCode"])
        if status < HTTPStatus.BAD_REQUEST:
            result: dict[str, Any] = content.get("result") or {}
            return result
        error = content.get("error") or {}
        if error.get("retryable") or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Transient("context_busy")
        raise Refused(str(error.get("code") or "internal"), status)

    def invoke_own(self, event: Mapping[str, Any]) -> None:
        """Invoke the inbox's own function, without waiting for it."""
        self.client().invoke(
            FunctionName=self.own, InvocationType="Event", Payload=json.dumps(event).encode()
        )


def event_of(caller: Caller, call: Call, request_id: str) -> dict[str, Any]:
    """Return a call as API Gateway passes it on for this caller."""
    method, route = call.line.split(" ")
    path = route
    for name, value in call.path.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return {
        "resource": route,
        "path": path,
        "httpMethod": method,
        "headers": {KEY_HEADER: call.key} if call.key else {},
        "multiValueHeaders": {},
        "pathParameters": dict(call.path),
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"requestId": request_id, "authorizer": caller.as_context()},
        "body": to_json(call.body) if call.body is not None else None,
        "isBase64Encoded": False,
    }
