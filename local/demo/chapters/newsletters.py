"""The demo of newsletters: from documents to an exported PDF, over the API."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import urllib3

from events.newsletters.documents import DOCUMENTS
from events.whatsapp.sample_data import COMPANY
from local.stack.processes import ROOT
from local.stack.seed import operate

if TYPE_CHECKING:
    from local.demo.chapter import Chapter
    from local.stack.cli import Stack

# Both also send issues, see the chapter of them.
SCOPES: Final = (
    "newsletters:read", "newsletters:write", "newsletters:admin", "newsletters:send", "contacts:read", "contacts:write",
)  # fmt: skip
REVIEWER: Final = ("newsletters:review", "newsletters:read", "newsletters:send")
FORMATS: Final = ("pdf", "docx", "html", "email", "markdown", "text")
ITEM_FIELDS: Final = (
    "id", "title", "description", "included", "user_notes", "rag_reference_ids",
)  # fmt: skip
WITHIN_SECONDS: Final = 180
FOLDER: Final = ROOT / ".local/demo"
NEWSLETTER: Final = {
    "title": "Highland Farms: what the season taught us",
    "description": "News for extension workers",
    "target_audience": ["field_staff", "researchers"],
    "tone_preset": "industry_insight",
    "frequency": "weekly",
    "length_preference": "standard",
    "geographic_focus": "East Africa",
    "user_name": "Amina Tesfaye",
}
TYPES: Final = (
    "research_findings", "technology_innovation", "Policy Updates", "food_security", "livestock", "funding",
    "Events & Conferences", "publications",
)  # fmt: skip
http = urllib3.PoolManager(retries=False, timeout=60)


@dataclass(eq=False)
class Editors:
    """The people of a newsletter by their API keys, which are made when they are first used."""

    stack: Stack

    @cached_property
    def author(self) -> str:
        """The key of the author."""
        return self._key("newsletter author", SCOPES)

    @cached_property
    def reviewer(self) -> str:
        """The key of a colleague, who approves."""
        return self._key("newsletter editor", REVIEWER)

    def _key(self, name: str, scopes: tuple[str, ...]) -> str:
        about = ("--company", COMPANY, "--scopes", *scopes, "--name", name)
        return operate(self.stack, "api-keys", "create", *about)


def play(editors: Editors, chapter: Chapter) -> bool:
    """Make a newsletter from the sample documents; return whether every step and export has its result."""
    stack = editors.stack
    client = Client(stack, editors.author, chapter)
    client.call("PUT", "/newsletters/settings", _settings(client))
    today = datetime.now(UTC).date()
    for document in DOCUMENTS:
        client.call("POST", "/newsletters/sources", document.source(today))
    code = client.call("POST", "/newsletters", NEWSLETTER)["newsletter_code"]
    chapter.line(f"{len(DOCUMENTS)} documents are in the bucket; the newsletter is {code}")
    client.call("PUT", f"/newsletters/{code}/topics", {"selected_types": list(TYPES)})
    steps = [client.generate(code, "topics"), client.generate(code, "outline")]
    _edit_outline(client, code, chapter)
    steps.append(client.generate(code, "draft"))
    if not all(steps):
        return False
    _show(client.call("GET", f"/newsletters/{code}"), chapter)
    _review(client, Client(stack, editors.reviewer, chapter), code, chapter)
    return _export(client, code, chapter)


class Client:
    """Calls of the API with one key, which add generated steps to a chapter."""

    def __init__(self, stack: Stack, key: str, chapter: Chapter) -> None:
        self._url, self._key, self._chapter = stack.api_url, key, chapter

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Return the result of a call. Raises RuntimeError for a refused one."""
        answer = http.request(
            method,
            f"{self._url}{path}",
            headers={"x-api-key": self._key, "Content-Type": "application/json"},
            body=json.dumps(body).encode() if body is not None else None,
        )
        content: dict[str, Any] = json.loads(answer.data)
        if answer.status >= 300:  # noqa: PLR2004 - redirects and errors
            raise RuntimeError(f"{method} {path}: {answer.status} {content}")
        result: dict[str, Any] = content["result"]
        return result

    def generate(self, code: str, step: str) -> bool:
        """Start a step, show its progress, and return whether it was completed."""
        started = self.call("POST", f"/newsletters/{code}/{step}/start", {})
        deadline = time.monotonic() + WITHIN_SECONDS
        while True:
            state = self.call("GET", started["status_url"])
            job = state["job"]
            self._chapter.progress(f"{step}: {job['doing']} ({job['percent']} %)")
            if state["status"] != "processing" or time.monotonic() > deadline:
                break
            time.sleep(0.5)
        is_completed = bool(state["status"] == "completed")
        line = f"{step}: {state['status']} {state.get('error', '')}".rstrip()
        self._chapter.line(line, "plain" if is_completed else "fault")
        return is_completed


def _settings(client: Client) -> dict[str, Any]:
    present = client.call("GET", "/newsletters/settings")
    return {"version": present["version"], "ai": {"provider": "scripted"}, "four_eyes": True}


def _edit_outline(client: Client, code: str, chapter: Chapter) -> None:
    """Exclude one item, edit one, and add one, as an editor does."""
    outline = client.call("GET", f"/newsletters/{code}")["outline"]
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{name: item[name] for name in ITEM_FIELDS} for item in section["items"]],
        }
        for section in outline["sections"]
    ]
    main = next(one for one in sections if len(one["items"]) > 1)
    main["items"][-1]["included"] = False
    first, second = main["items"][:2]
    first["title"] = f"Story of the week: {first['title']}"
    main["items"].append(
        {
            "title": "A closer look at the figures",
            "user_notes": "Repeat the figures for readers in a hurry.",
            "rag_reference_ids": second["rag_reference_ids"],
        }
    )
    changed = client.call(
        "PUT",
        f"/newsletters/{code}/outline",
        {"version": outline["version"], "sections": sections},
    )
    chapter.line(f"outline edited: {changed['user_modifications']}")


def _show(newsletter: dict[str, Any], chapter: Chapter) -> None:
    topics, draft = newsletter["topics"], newsletter["draft"]
    rows = [
        (
            chunk["topic"],
            chunk["title"],
            chunk["metadata"]["date"] or "undated",
            f"{chunk['score']:.2f}",
        )
        for chunk in topics["retrieved_content"]
    ]
    chapter.table(("topic", "passage", "date", "score"), rows)
    warnings = ", ".join(sorted({one["code"] for one in draft["warnings"]})) or "none"
    chapter.line(
        f"draft: {draft['word_count']} words, {draft['estimated_read_time']},"
        f" {len(draft['citations'])} sources cited, warnings: {warnings}"
    )
    chapter.line(draft["content"][:900] + " ...", "faint")


def _review(author: Client, editor: Client, code: str, chapter: Chapter) -> None:
    version = author.call("GET", f"/newsletters/{code}")["metadata"]["version"]
    requested = author.call(
        "POST", f"/newsletters/{code}/review/request", {"version": version, "note": "Ready?"}
    )
    decided = editor.call(
        "POST", f"/newsletters/{code}/review/approve", {"version": requested["version"]}
    )
    chapter.line(f"review: {decided['review']} by another key than the author's")


def _export(client: Client, code: str, chapter: Chapter) -> bool:
    client.call("POST", f"/newsletters/{code}/exports", {"formats": list(FORMATS)})
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        found = client.call("GET", f"/newsletters/{code}/exports")
        is_over = all(job["state"] in {"done", "failed"} for job in found["jobs"].values())
        if is_over or time.monotonic() > deadline:
            break
        time.sleep(0.5)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, export in found["exports"].items():
        link = client.call("GET", f"/newsletters/{code}/exports/{name}")
        extension = link["url"].partition("?")[0].rpartition(".")[2]
        file = FOLDER / f"newsletter-{name}.{extension}"
        file.write_bytes(http.request("GET", link["url"]).data)
        chapter.line(f"{name}: {export['file_size']:,} bytes, {file.relative_to(ROOT)}")
    status = client.call("GET", f"/newsletters/{code}")["metadata"]["status"]
    is_whole = set(found["exports"]) == set(FORMATS) and status == "exported"
    chapter.summary = f"{len(DOCUMENTS)} documents, {len(found['exports'])} exported formats"
    if not is_whole:
        chapter.line(f"Not as expected: {status}, {found['jobs']}", "fault")
    return is_whole
