"""Requests about a person over HTTP: Lambda hands the calls of the inbox's function to the parts of the contexts."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from uuid import uuid4
from zipfile import ZipFile

from botocore.client import BaseClient
from botocore.exceptions import ClientError

from console.store import person_requests
from shared.api.auth import Caller
from shared.inbox.items import Context
from shared.privacy import PART, part_calls
from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.people import ADA, COMPANY
from tests.integration.console.system import inbox_call
from tests.template import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    import pytest

    from tests.integration.console.people import People

SCOPES = frozenset({"privacy:admin"})
KIM = Caller(company=COMPANY, scopes=SCOPES, principal="user:kim")
LEE = Caller(company=COMPANY, scopes=SCOPES, principal="user:lee")
PROGRAM = Caller(company=COMPANY, scopes=SCOPES, principal="api-key:1")
OWN = environment("InboxApi")["FUNCTIONS"].split(",")[0]
OF_PARTS = environment("InboxApi")["PRIVACY_FUNCTIONS"].split(",")
CONTEXTS = dict(zip(OF_PARTS, (*map(str, Context), "newsletters", "richpanel"), strict=True))
ASKED: dict[str, Any] = {
    "kind": "erase",
    "subject": {"phone": f"+{ADA}"},
    "reason": "asked by mail",
    "reference": "case-7",
}


class Died(BaseException):
    """The process of the inbox is killed here."""


@dataclass
class Desk:
    """
    The inbox's function with its own queue of runs, as Lambda's asynchronous invocations are.

    *faults*: which calls of parts have no answer, by their number; *left_ms*: the time of a run.
    """

    people: People
    started: list[dict[str, Any]] = field(default_factory=list)
    faults: set[int] = field(default_factory=set)
    calls: int = 0
    is_in_context: bool = False
    left_ms: Callable[[], int] = field(default=lambda: 29_000)

    def __post_init__(self) -> None:
        """Stand between the function and Lambda."""
        self.client.meta.events.register("before-call.lambda.Invoke", self._invoked)

    @property
    def module(self) -> ModuleType:
        return self.people.inbox.module

    @property
    def client(self) -> Any:
        return self.module.bulk_deps.functions.client()

    def post(
        self, path: str = "", body: dict[str, Any] | None = None, by: Caller = KIM, key: str = ""
    ) -> Answer:
        headers = {"Idempotency-Key": key or str(uuid4())}
        return self._call(
            inbox_call("POST", f"/privacy/requests{path}", by, {}, body or {}, headers)
        )

    def request(self, by: Caller = KIM, key: str = "", **changed: Any) -> Answer:
        """Request the erasure of Ada, or what *changed* says, without running it."""
        return self.post("", ASKED | changed, by, key)

    def shown(self, request_id: str, by: Caller = KIM) -> dict[str, Any]:
        """A request."""
        answer = self.people.inbox.get(by, f"/privacy/requests/{request_id}")
        assert answer.status == HTTPStatus.OK
        found: dict[str, Any] = answer.result
        return found

    @property
    def invocation(self) -> Any:
        """An invocation of the function by the schedule."""
        return SimpleNamespace(get_remaining_time_in_millis=self.left_ms)

    def drain(self) -> None:
        """Run what was started, until nothing is left."""
        while self.started:
            self.drain_one()

    def drain_one(self) -> None:
        """Run what was started first."""
        context = SimpleNamespace(get_remaining_time_in_millis=self.left_ms)
        self.module.handler(self.started.pop(0), context)

    def wake(self) -> None:
        """The schedule, and the runs that it starts."""
        self.module.handler({"time": clock.to_text(clock.now_ms())}, self.invocation)
        self.drain()

    def _call(self, event: dict[str, Any]) -> Answer:
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000)
        answer = self.module.handler(event, context)
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def _invoked(self, params: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        function = unquote(params["url_path"]).split("/")[-2]
        event = json.loads(params["body"])
        answered = SimpleNamespace(status_code=HTTPStatus.OK)
        if params["headers"].get("X-Amz-Invocation-Type") == "Event":
            assert function == OWN
            self.started.append(event)
            return answered, {"StatusCode": HTTPStatus.ACCEPTED}
        if function == OWN:
            answer = self.module.handler(
                event, SimpleNamespace(get_remaining_time_in_millis=self.left_ms)
            )
            self.drain()
        else:
            self.calls += 1
            if self.calls in self.faults:
                failed = {"StatusCode": 200, "FunctionError": "Unhandled"}
                return answered, failed | {"Payload": io.BytesIO(b'{"errorType": "KeyError"}')}
            answer = self._answered_by_context(function, event[PART])
        return answered, {"StatusCode": 200, "Payload": io.BytesIO(json.dumps(answer).encode())}

    def _answered_by_context(self, function: str, call: object) -> dict[str, Any]:
        deps = self.people.deps
        self.is_in_context = True
        try:
            context = CONTEXTS[function]
            heads = {str(one): found for one, found in deps.heads.items()}
            return part_calls.answer(deps.parts[context], heads.get(context), call)
        finally:
            self.is_in_context = False


def answered(make: Callable[..., Any], client: Any, operation: str, parameters: Any) -> Any:
    """Make a call of AWS; where moto fails for an upload that is over, S3 answers an error."""
    try:
        return make(client, operation, parameters)
    except KeyError:
        raise ClientError({"Error": {"Code": "NoSuchUpload"}}, operation) from None


def texts_of(people: People, request_id: str) -> dict[str, str]:
    """The files of an export's ZIP."""
    stored = person_requests.get(people.deps.tables.contacts, COMPANY, request_id)
    assert stored is not None
    content = people.deps.bucket.get(str(stored.archive))
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


@contextmanager
def killed_at(
    call: int, *, after: bool, desk: Desk, patch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """
    Kill the inbox's process at its call of AWS with this number, before it is made or *after*; then it lives.

    Calls of contexts, feeds and workers are other processes'. Yields a list that has the call once it was killed.
    """
    client: Any = BaseClient
    make, calls, killed = client._make_api_call, [0], list[str]()

    def made(self: Any, operation: str, parameters: Any) -> Any:
        if desk.is_in_context or desk.people.is_waiting:
            return answered(make, self, operation, parameters)
        calls[0] += 1
        if calls[0] == call:
            killed.append(operation)
            if after:
                answered(make, self, operation, parameters)
            raise Died
        return answered(make, self, operation, parameters)

    with patch.context() as patched:
        patched.setattr(client, "_make_api_call", made)
        with suppress(Died):
            yield killed
