"""Invocations: the Lambda context, and API Gateway's event of an agent's request."""

from __future__ import annotations

import json
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from events.conversations import sample_data
from shared.api.auth import Caller, Scope
from shared.aws.sqs_fifo import digest
from tests.aws import api_gateway

if TYPE_CHECKING:
    from collections.abc import Mapping


# A user of the company with all scopes.
CAROL = Caller(
    company=sample_data.COMPANY,
    scopes=frozenset(Scope),
    principal="api-key:2",
    projects=frozenset("*"),
)


# In the body of a call in tests: the principal of the person who makes it instead of the API key. It is not sent.
PERSON = "(person)"


def sent(caller: Caller, body: Any) -> tuple[Caller, Any]:
    """The caller of a call, and the body without a principal."""
    if not isinstance(body, dict) or PERSON not in body:
        return caller, body
    rest = {name: value for name, value in body.items() if name != PERSON}
    return replace(caller, principal=body[PERSON]), rest


class Refused(Exception):
    """An error response: its status and body."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body}")
        self.status, self.body = status, body

    @property
    def is_retryable(self) -> bool:
        """Whether a retry may succeed: the request is in progress, or a dependency failed."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR or "IN_PROGRESS" in str(self.body)


def call_of(line: str, body: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """A call (`POST /conversations/{ref}/close`) by Carol. The same call has the same idempotency key."""
    caller, content = sent(CAROL, body)
    event = api_gateway.request(line, content, caller, path=names)
    event["headers"] = {"idempotency-key": digest(line, json.dumps(body), event["path"])}
    return event
