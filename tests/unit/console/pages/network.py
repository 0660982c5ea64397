"""
A network of a browser that knows the console's built pages and answers of a test, and nothing else.

Calls and answers have the shapes of the routes: the models of the API check both.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from access.roles import scopes_by_company
from local.console import client
from shared.api.errors import InvalidInput
from shared.api.models import inputs
from shared.api.models.inputs import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from playwright.sync_api import Page, Route, WebSocketRoute

    from shared.api.openapi import Operation

ORIGIN: Final = "https://parley.example"
STAGE: Final = f"{ORIGIN}/prod/"
PAGE: Final = f"{STAGE}console"
_LOGIN: Final = "https://login.example"
_LIVE: Final = "wss://live.example/prod"
_ACTIONS: Final = "POST /whatsapp/actions/"
# Two frames: the page has drawn what it changed after a movement or an answer.
DRAWN: Final = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)


@dataclass(frozen=True)
class Call:
    """A call of the API: `GET /contacts/{contact_id}`, the values in its path, its query or body."""

    route: str
    path: Mapping[str, str]
    input: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """The result of a call, in the words of the route's view, and where a list goes on."""

    result: Mapping[str, Any]
    cursor: str | None = None


@dataclass(frozen=True)
class Refusal:
    """
    An error of the API. *problems*: the fields with the rules that they break. *newer*: what another author answered
    meanwhile.
    """

    status: int
    code: str
    problems: Mapping[str, str] = field(default_factory=dict)
    newer: Mapping[str, str] | None = None


type Answered = Callable[[Call], Answer | Refusal]


@cache
def _operations() -> dict[str, Operation]:
    """The routes of the APIs that the console calls, by method and path."""
    return {f"{one.method} {one.path}": one for one in client.operations()}


@cache
def _actions() -> dict[str, Operation]:
    """The actions that the console calls. Their modules take a while to load: only a page that calls one needs them."""
    return {f"{one.method} {one.path}": one for one in client.actions()}


def _operation(name: str) -> Operation:
    return (_actions() if name.startswith(_ACTIONS) else _operations())[name]


@dataclass
class Network:
    """
    What the browser of a person gets. *pages*: the folder of the built pages. *answers* by route; a call of another
    route, of a wrong shape, or that the roles in *groups* may not make, is one of *faults*. *calls* are those of the
    API in their order.
    """

    pages: Path
    person: str
    groups: tuple[str, ...]
    answers: dict[str, Answered] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    is_lost: bool = False
    unanswered: str = ""  # a route whose calls wait
    refuses: bool = False  # calls of a wrong shape, as the API does; else they are faults
    sockets: list[WebSocketRoute] = field(default_factory=list)

    def of(self, page: Page) -> None:
        """Become the network of a page."""
        page.route(lambda _: True, self._take)
        page.route_web_socket(lambda address: address.startswith(_LIVE), self._connect)

    def hint(self, context: str, key: str, version: int, **facts: Any) -> None:
        """Tell that a conversation has changed; *facts*: who is notified, whether it is new."""
        hint = {"context": context, "key": key, "version": version, **facts}
        for socket in self.sockets:
            socket.send(json.dumps({"hints": [hint]}))

    def routes(self) -> list[str]:
        """Return the routes that were called, in their order."""
        return [call.route for call in self.calls]

    def quiet(self, page: Page) -> None:
        """Wait until the page has drawn its answers and calls nothing more. Its clock must stand still."""
        known = -1
        while known != len(self.calls):
            known = len(self.calls)
            for _ in range(3):
                page.evaluate(DRAWN)

    def _connect(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)

    def _take(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if self.is_lost:
            route.abort()
        elif f"{address.scheme}://{address.netloc}" == _LOGIN:
            self._log_in(route, parse_qs(address.query))
        elif address.path in {"/prod/console", "/prod/console/config.json"}:
            is_page = address.path == "/prod/console"
            text = (
                (self.pages / "index.html").read_text() if is_page else json.dumps(_CONFIGURATION)
            )
            route.fulfill(body=text, content_type="text/html" if is_page else "application/json")
        elif address.path.startswith("/prod/console/"):
            file = self.pages / address.path.removeprefix("/prod/console/")
            route.fulfill(path=file, content_type=mimetypes.guess_type(file.name)[0])
        else:
            self._call(route, address.path.removeprefix("/prod"), address.query)

    def _may_call(self, operation: Operation) -> bool:
        """Whether the person's roles have one of the scopes of a route."""
        held = frozenset().union(*scopes_by_company(self.groups).values())
        return not operation.scopes or not held.isdisjoint(operation.scopes)

    def _log_in(self, route: Route, query: Mapping[str, list[str]]) -> None:
        if route.request.method == "GET":
            back = f"{PAGE}?code=once&state={query['state'][0]}"
            # Playwright does not take the requests that follow a redirect.
            script = f"<script>location.replace({json.dumps(back)})</script>"
            route.fulfill(body=script, content_type="text/html")
            return
        claims = {"sub": self.person, "name": self.person.title(), "exp": 4_000_000_000}
        token = _token(claims | {"cognito:groups": list(self.groups)})
        headers = {"Access-Control-Allow-Origin": "*"}
        route.fulfill(json={"access_token": token, "id_token": token}, headers=headers)

    def _call(self, route: Route, path: str, query: str) -> None:
        name, names = _named(route.request.method, path)
        if name == self.unanswered:
            return
        try:
            operation = _operation(name)
            given = _checked(operation, route, query)
            if not self._may_call(operation):
                self.faults.append(f"{name}: {self.groups} may not call it")
            call = Call(name, names, given)
            self.calls.append(call)
            answer = self.answers[name](call)
            if isinstance(answer, Refusal):
                error = _error(answer.code, answer.problems, answer.newer)
                route.fulfill(status=answer.status, json=error)
            else:
                route.fulfill(json=_content(operation, answer))
        except InvalidInput as refusal:
            problems = {one["field"]: one["problem"] for one in refusal.problems}
            if not self.refuses:
                self.faults.append(f"{name}: {problems}")
            route.fulfill(status=400, json=_error("invalid_input", problems))
        except (KeyError, ValueError) as fault:
            self.faults.append(f"{route.request.method} {path}: {fault!r}")
            route.fulfill(status=500, json=_error("fault_of_the_test", {}))


def _named(method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """Return the declared route of a call and the values in its path. One without parameters comes first."""
    for name in sorted(_operations(), key=lambda one: one.count("{")):
        declared, _, pattern = name.partition(" ")
        found = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", pattern), path)
        if declared == method and found:
            return name, {key: unquote(value) for key, value in found.groupdict().items()}
    return f"{method} {path}", {}


def _checked(operation: Operation, route: Route, query: str) -> Mapping[str, Any]:
    if operation.method == "GET":
        checked = inputs.query(parse_qs(query), operation.input_model)
    else:
        checked = inputs.body(route.request.post_data, operation.input_model)
    is_change = isinstance(checked, Change)  # where null is a value
    return checked.model_dump(mode="json", by_alias=True, exclude_none=not is_change)


def _content(operation: Operation, answer: Answer) -> Mapping[str, Any]:
    view = operation.result.model_validate(answer.result)
    omits = getattr(view, "omits_none", True)
    shown = view.model_dump(mode="json", by_alias=True, exclude_none=omits)
    return {"result": shown, **({"cursor": answer.cursor} if answer.cursor else {})}


def _error(
    code: str, problems: Mapping[str, str], newer: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    details = [{"field": name, "problem": problem} for name, problem in problems.items()]
    error = {"code": code, "message": "", "retryable": False, "details": details, "newer": newer}
    return {"error": error}


def _token(claims: Mapping[str, Any]) -> str:
    text = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{text}.e30"


_CONFIGURATION: Final = {
    "apiUrl": "..",
    "liveUrl": _LIVE,
    "stage": "prod",
    "login": {
        "provider": "cognito",
        "authorizeUrl": f"{_LOGIN}/authorize",
        "tokenUrl": f"{_LOGIN}/token",
        "logoutUrl": None,
        "revokeUrl": None,
        "clientId": "console",
        "scopes": "openid",
        "groupsClaim": "cognito:groups",
    },
}
