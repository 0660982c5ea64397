"""The software of a shop, which calls actions over HTTP, and its customer of the day."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any, Final

import urllib3

from events.whatsapp.sample_builder import SampleBuilder
from events.whatsapp.sample_data import COMPANY, COUNTER, Customer
from local.demo.webhook_sender import deliver, wait_until_empty
from local.stack.seed import operate
from shared.api.auth import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from events.whatsapp.payloads import Json
    from local.demo.chapter import Chapter
    from local.stack.cli import Stack

SCOPES: Final = tuple(str(scope) for scope in Scope if scope.startswith("whatsapp:"))
NADIA: Final = Customer("Nadia Haddad", wa_id="447700900108")
WITHIN_SECONDS: Final = 60
_SHOWN = 74  # characters of an answer
_http = urllib3.PoolManager(retries=False, timeout=60)


class Shop:
    """The software of the shop: calls actions with one key, adds each answer to a chapter, and counts what differs."""

    def __init__(self, stack: Stack, key: str, chapter: Chapter) -> None:
        self.stack, self._key, self._chapter = stack, key, chapter
        self.run = secrets.token_hex(3)
        """Part of the names of this run, so that the demo can be repeated on one stack."""
        self.calls = 0
        self.faults: list[str] = []

    def call(self, action: str, body: Json, *, expects: int = 200, shows: str = "") -> Json:
        """
        Run an action and return the envelope of its answer; *shows* names the fields of the result to be shown.

        Another status than expected is a fault.
        """
        status, content = self.post(f"/whatsapp/actions/{action}", body)
        self.calls += 1
        self.report(action, status, _summary(content, shows), is_expected=status == expects)
        return content

    def result(self, action: str, body: Json, *, shows: str = "", expects: int = 200) -> Json:
        """Run an action and return its result, which is empty if it was refused."""
        found: Json = self.call(action, body, shows=shows, expects=expects).get("result", {})
        return found

    def send(self, action: str, body: Json) -> Json:
        """Send to the customer of the day and return the result, whose state is `sent`."""
        addressed = {"phoneNumberId": COUNTER.phone, "to": f"+{NADIA.wa_id}"} | body
        found = self.result(action, addressed, shows="state messageId")
        self.check(f"{action} is sent", found.get("state") == "sent")
        return found

    def refused(self, action: str, body: Json, status: int, code: str) -> None:
        """Run an action that is refused, and check the status and the code of the refusal."""
        error = self.call(action, body, expects=status).get("error", {})
        self.check(f"{action} is refused with {code}", error.get("code") == code)

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """Return status and content of a POST, which is repeated once if it came too early for the rate limit."""
        headers = {"x-api-key": self._key, "Idempotency-Key": secrets.token_hex(8)}
        for _ in range(2):
            answer = _http.request("POST", self.stack.api_url + path, json=body, headers=headers)
            if answer.status != 429:  # noqa: PLR2004 - too many requests
                break
            time.sleep(float(answer.headers["Retry-After"]))
        return answer.status, json.loads(answer.data)

    def get(self, path: str) -> Json:
        """Return the result of a GET."""
        address = f"{self.stack.api_url}{path}"
        answer = _http.request("GET", address, headers={"x-api-key": self._key})
        found: Json = json.loads(answer.data).get("result", {})
        return found

    def until(self, action: str, body: Json, is_over: Callable[[Json], bool], shows: str) -> Json:
        """Repeat a call until its result *is_over*, and show only the last one. After a minute it is a fault."""
        deadline = time.monotonic() + WITHIN_SECONDS
        while True:
            status, content = self.post(f"/whatsapp/actions/{action}", body)
            result: Json = content.get("result", {})
            over = status < 300 and is_over(result)  # noqa: PLR2004 - errors are no results
            if over or time.monotonic() > deadline:
                break
            time.sleep(0.5)
        self.calls += 1
        self.report(action, status, _summary(content, shows), is_expected=over)
        return result

    def report(self, name: str, status: int | str, line: str, *, is_expected: bool) -> None:
        """Add a step to the chapter, and remember it if it was not as expected."""
        self._chapter.step(status, name, line, is_expected=is_expected)
        if not is_expected:
            self.faults.append(f"{name}: {status} {line}")

    def check(self, claim: str, is_true: object) -> None:
        """Remember a *claim* that is not true."""
        if not is_true:
            self.faults.append(f"not true: {claim}")

    def outside(self, route: str, body: Json) -> None:
        """Let the sandbox play people beside the provider's API: reviewers, paying customers, banks."""
        answer = _http.request("POST", f"{self.stack.sandbox_url}{route}", json=body)
        self.report(route, answer.status, answer.data.decode()[:_SHOWN], is_expected=answer.status == 201)  # noqa: PLR2004 - the sandbox created it  # fmt: skip

    def customer_writes(self, name: str, body: Json) -> str:
        """Let the customer write now, wait until that is handled, and return the message's id."""
        builder = SampleBuilder(start=int(time.time()) - 60)
        named = f"{name} {self.run}"
        sample = builder.customer_message(named, "A message of today.", NADIA, 1, body)
        status, is_expected = deliver(self.stack, sample)
        is_handled = wait_until_empty(self.stack)
        line = f"{NADIA.name} writes: {name}"
        self.report("(customer)", status, line, is_expected=is_expected and is_handled)
        return str(sample.items("messages")[0]["id"])


def key_of(stack: Stack, *scopes: str) -> str:
    """Create an API key of the company with these scopes."""
    return operate(
        stack, "api-keys", "create", "--company", COMPANY, "--scopes", *scopes, "--name", "shop software"
    )  # fmt: skip


def _summary(content: Json, shows: str) -> str:
    """Return an answer in a line: the named fields of its result, or why it was refused."""
    if "error" in content:
        error: dict[str, Any] = content["error"]
        fields = [str(entry["field"]) for entry in error.get("details", [])]
        parts = [error["code"], error.get("reason", ""), ", ".join(fields) or error["message"]]
        return ": ".join(part for part in parts if part)[:_SHOWN]
    result: Json = content.get("result", {})
    names = shows.split() or list(result)[:3]
    return ", ".join(f"{name} {result[name]}" for name in names if name in result)[:_SHOWN]
