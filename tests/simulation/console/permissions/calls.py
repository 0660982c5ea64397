"""Calls of the functions of the console, which an observer watches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest import mock

from console.jobs.engine import MOST_RUNS
from console.jobs.runs import STARTED, Job, Run
from events.whatsapp.sample_data import COMPANY
from shared.api.auth import Caller
from tests.integration.console.system import inbox_call
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.whatsapp.system import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

STAGE = {"Stage": "local"}
PERSON = "user:ada"
BROWSER = "https://fcm.googleapis.com/fcm/send/1"


def last_run(kind: str, name: str) -> dict[str, Any]:
    """The event of a run that starts no other one."""
    job = Job(kind=kind, company=COMPANY, name=name)
    return {STARTED: Run(job=job, number=MOST_RUNS).model_dump(mode="json")}


def caller_of(system: Any, observer: CallObserver, api: ModuleType) -> Callable[..., Any]:
    """Return the function that calls a route of the inbox, under a key of its own, and returns the result."""

    def call(line: str, body: Mapping[str, Any] | None = None) -> Any:
        method, path = line.split(" ")
        event = asked(method, path, body=body or {}, request_id=f"change-{method}-{path}")
        answer = watched(system, observer, "InboxApi", api, event)
        assert answer["statusCode"] in {200, 202}, answer
        return json.loads(answer["body"])["result"]

    return call


def asked(
    method: str,
    path: str,
    principal: str = "api-key:1",
    *,
    body: Mapping[str, Any] | None = None,
    request_id: str = "",
    **query: str,
) -> dict[str, Any]:
    """A call of the API."""
    conversations = {"whatsapp:read", "conversations:read", "email_threads:read"}
    reads = {*conversations, "contacts:read", "richpanel:read"}
    consent = {"consent:read", "consent:write"}
    writes = {"whatsapp:write", "contacts:write", "contacts:admin", "privacy:admin", "access:admin"}
    scopes = frozenset({*reads, *consent, *writes})
    reader = Caller(company=COMPANY, scopes=scopes, principal=principal)
    return inbox_call(
        method, path, reader, query, body, {"Idempotency-Key": request_id} if request_id else {}
    )


def watched(
    system: Any, observer: CallObserver, function: str, module: ModuleType, event: dict[str, Any]
) -> Any:
    with mock.patch.object(system.interceptor, "observer", observer.note):
        answer = observer.watching(function, module.handler)(event, Invocation())
    assert not answer.get("batchItemFailures"), answer
    return answer
