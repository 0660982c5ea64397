"""People of one company who work on newsletters, each with an API key of the deployed stack."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import urllib3

from events.newsletters.documents import DOCUMENTS
from local.stack.seed import operate

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.stack.cli import Stack

COMPANY: Final = "highland"
FORMATS: Final = ("pdf", "docx", "html", "email", "markdown", "text")
NEWSLETTER: Final = {
    "title": "Highland Farms",
    "target_audience": ["field_staff", "researchers"],
    "frequency": "weekly",
    "geographic_focus": "East Africa",
}
TYPES: Final = ("research_findings", "Policy Updates", "food_security", "livestock", "events")
PATIENCE_SECONDS: Final = 180
ITEM_FIELDS: Final = ("id", "title", "description", "included", "user_notes", "rag_reference_ids")
http: Final = urllib3.PoolManager(retries=False, timeout=60)


@dataclass(frozen=True)
class Editor:
    """A key with its scopes."""

    stack: Stack
    key: str = field(repr=False)

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Return the status and the whole body of a call."""
        answer = http.request(
            method,
            self.stack.api_url + path,
            headers={"x-api-key": self.key, "Content-Type": "application/json"},
            body=None if body is None else json.dumps(body).encode(),
        )
        return answer.status, json.loads(answer.data)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the result of a call that succeeds."""
        status, answer = self.ask(method, path, body)
        assert status in {200, 201, 202}, (method, path, status, answer)
        return answer["result"]

    def refused(self, method: str, path: str, body: object = None) -> tuple[int, str, str]:
        """Return status, code and message of a call that fails."""
        status, answer = self.ask(method, path, body)
        assert "error" in answer, (method, path, status, answer)
        return status, answer["error"]["code"], answer["error"]["message"]

    def newsletter(self, code: str) -> dict[str, Any]:
        """Return a whole newsletter."""
        found: dict[str, Any] = self.call("GET", f"/newsletters/{code}")
        return found

    def create(self, **values: object) -> str:
        """Create a newsletter with selected topics; return its code."""
        made = self.call("POST", "/newsletters", {**NEWSLETTER, **values})
        code: str = made["newsletter_code"]
        topics = {"version": 0, "selected_types": list(TYPES)}
        self.call("PUT", f"/newsletters/{code}/topics", topics)
        return code

    def generate(self, code: str, step: str, **options: bool) -> dict[str, Any]:
        """Start a step and return its state at the end."""
        started = self.call("POST", f"/newsletters/{code}/{step}/start", options)
        return self.wait(started["status_url"], lambda state: state["status"] != "processing")

    def drafted(self, **values: object) -> str:
        """Return the code of a newsletter with a draft."""
        code = self.create(**values)
        for step in ("topics", "outline", "draft"):
            state = self.generate(code, step)
            assert state["status"] == "completed", state
        return code

    def export(self, code: str, *formats: str) -> dict[str, Any]:
        """Export a draft in formats and return the files and jobs."""
        started = self.call("POST", f"/newsletters/{code}/exports", {"formats": list(formats)})
        return self.wait(
            started["status_url"],
            lambda found: all(job["state"] == "done" for job in found["jobs"].values()),
        )

    def wait(self, path: str, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read *path* until its result is as awaited."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not until(found := self.call("GET", path)):
            assert time.monotonic() < deadline, found
            time.sleep(0.3)
        answer: dict[str, Any] = found
        return answer


def editor(stack: Stack, name: str, *scopes: str, company: str = COMPANY) -> Editor:
    """Create a key."""
    named = [f"newsletters:{scope}" for scope in scopes]
    key = operate(
        stack, "api-keys", "create", "--company", company, "--scopes", *named, "--name", name
    )
    return Editor(stack, key)


def company(stack: Stack) -> Editor:
    """Give the company its model and documents; return the author of its newsletters."""
    author = editor(stack, "author", "write", "admin")
    version = author.call("GET", "/newsletters/settings")["version"]
    author.call(
        "PUT",
        "/newsletters/settings",
        {"version": version, "ai": {"provider": "scripted"}, "four_eyes": True},
    )
    today = datetime.now(UTC).date()
    for document in DOCUMENTS:
        author.call("POST", "/newsletters/sources", document.source(today))
    return author
