"""
The demo of contacts: a person writes by WhatsApp, SMS and mail and is one contact, which is merged, separated, exported
and erased.

An erasure waits several minutes for running workers. So a second chapter, at the end, shows its receipt.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from urllib3.exceptions import HTTPError

from events.conversations.recruiting import Run
from events.whatsapp import gateway
from events.whatsapp.sample_data import COMPANY
from local.demo.chapters.newsletters import FOLDER
from local.demo.company_api import CompanyApi, http, until
from local.demo.scenarios import customer_messages, recruiting_scenarios
from local.demo.scenarios.customer_messages import Author
from local.mail.receipt import Verdicts, deliver, received
from local.stack.processes import ROOT, StackError
from local.stack.seed import operate, put_project
from shared.inbox.items import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from local.demo.chapter import Chapter
    from local.stack.cli import Stack

SCOPES: Final = (
    "whatsapp:read",
    "conversations:initiate",
    "conversations:read",
    "email_threads:read",
    "email_threads:admin",
    "contacts:read",
    "contacts:write",
    "consent:read",
    "privacy:admin",
)
EXPORTED_WITHIN_SECONDS: Final = 300
ERASED_WITHIN_SECONDS: Final = 30 * 60
PREVIEW: Final = 60  # characters that fit beside the other columns
SEARCH_SECONDS: Final = 2  # a caller may search 60 times a minute
CONTEXTS: Final = frozenset({"whatsapp", "conversations", "email_threads", "contacts"})
_REASON: Final = "asked at the counter"


class Unexpected(Exception):
    """A result of the story is missing or not as expected. The text names no value."""


@dataclass(eq=False)
class Story:
    """The customer of one run: the API, the person, and the request that erases the person once it was made."""

    stack: Stack
    author: Author = field(default_factory=lambda: Author.of(Run.now()))
    api: CompanyApi | None = None
    contact_id: str = ""
    erasure: str = ""

    def play(self, chapter: Chapter) -> bool:
        """Play the story until the erasure is requested; return whether each step had its result."""
        return _is_played(self._begin, chapter)

    def end(self, chapter: Chapter) -> bool:
        """Wait for the erasure and show its receipt; return whether nothing of the person is found any more."""
        return _is_played(self._end, chapter)

    @property
    def _calls(self) -> CompanyApi:
        if self.api is None:
            raise Unexpected("the story has not begun")
        return self.api

    def _begin(self, chapter: Chapter) -> None:
        stack = self.stack
        put_project(stack, customer_messages.SMS_PROJECT)
        key = operate(
            stack, "api-keys", "create", "--company", COMPANY, "--scopes", *SCOPES, "--name", "customer"
        )  # fmt: skip
        self.api = CompanyApi(stack, key)
        mailbox = f"/email-mailboxes/{customer_messages.MAILBOX}"
        self.api.call("PUT", mailbox, {"display_name": "Orders"})
        self._write_on_three_channels(chapter)
        self._merge_and_separate(chapter)
        self._export(chapter)
        subject = {"contact_id": self.contact_id}
        asked = {"kind": "erase", "subject": subject, "reason": _REASON, "reference": "demo-2"}
        shown = self.api.call("POST", "/privacy/requests", asked | {"dry_run": True})
        chapter.line(f"an erasure would be about {_names(shown)}", "result")
        self.erasure = self.api.call("POST", "/privacy/requests", asked)["id"]
        chapter.line(
            "The erasure is requested. It waits for running workers; its receipt is below."
        )
        chapter.summary = "3 conversations on 3 channels = 1 contact; merged, separated, exported, erasure requested"

    def _write_on_three_channels(self, chapter: Chapter) -> None:
        author, url = self.author, self.stack.api_url
        raw = author.webhook()
        headers = {"Content-Type": "application/json", "X-Hub-Signature-256": gateway.sign(raw)}
        status = http.request("POST", url + gateway.ROUTE, body=raw, headers=headers).status
        _sent(status, "by WhatsApp", customer_messages.BY_WHATSAPP, chapter)
        self.contact_id = self._found(author.person.tel)
        status, _ = recruiting_scenarios.request_conversation(
            self.stack, self._calls.key, author.request()
        )
        about = "the shop asks, and names number and address of the customer"
        _sent(status, "by SMS", about, chapter)
        self._wait_for({"whatsapp", "sms"}, chapter)
        recruiting_scenarios.text(self.stack, author.text())
        chapter.step("SNS", "by SMS", customer_messages.BY_SMS)
        self._receive(author.mail(customer_messages.BY_MAIL))
        chapter.step("S3", "by mail", customer_messages.BY_MAIL)
        self._show(self._wait_for({"whatsapp", "sms", "email"}, chapter), chapter)

    def _show(self, rows: list[dict[str, Any]], chapter: Chapter) -> None:
        """Show the contact: name, conversations and consent."""
        chapter.is_printed = True
        person = self._calls.call("GET", f"/contacts/{self.contact_id}")
        channels = ", ".join(sorted(row["channel"] for row in rows))
        chapter.line(f"One contact: {person['name']}, with conversations by {channels}", "strong")
        chapter.is_printed = False
        chapter.table(("channel", "context", "status", "newest message"), page_rows(rows))
        consents = self._calls.call("GET", f"/contacts/{self.contact_id}/consents")["channels"]
        chapter.table(("channel", "address", "consent", "evidence"), consent_rows(consents))

    def _merge_and_separate(self, chapter: Chapter) -> None:
        """A namesake writes, is merged by mistake, and separated again."""
        api, own = self._calls, f"/contacts/{self.contact_id}"
        self._receive(self.author.namesake.mail(customer_messages.OF_NAMESAKE))
        other = self._found(self.author.namesake.person.email)
        chapter.step("S3", "a namesake, by mail", customer_messages.OF_NAMESAKE)
        suggested = api.call("GET", f"{own}/suggestions")["contacts"]
        _expect([one["contactId"] for one in suggested] == [other], "the namesake is suggested")
        moves = api.call("POST", f"{own}/merge", {"contactId": other, "dryRun": True})
        chapter.line(f"conversations that a merge would move: {moves['conversations']}", "result")
        merged = api.call("POST", f"{own}/merge", {"contactId": other})
        _expect(len(self._rows(other)) == 4, "the merged contact has 4 conversations")  # noqa: PLR2004 - of both
        api.call("POST", f"/contacts/merges/{merged['mergeId']}/undo")
        _expect(len(self._rows(self.contact_id)) == 3, "after the undo 3 conversations are left")  # noqa: PLR2004 - as before
        _expect(len(self._rows(other)) == 1, "after the undo the namesake has 1 conversation")
        status, answer = api.answer("POST", f"{own}/merge", {"contactId": other})
        refused = answer.get("error", {}).get("code")
        _expect(
            (status, refused) == (HTTPStatus.CONFLICT, "merge_refused"), "a second merge is refused"
        )
        chapter.is_printed = True
        chapter.line(
            "merged: 4 conversations; separated: 3 and 1; a second merge is refused", "result"
        )

    def _export(self, chapter: Chapter) -> None:
        asked = {"kind": "export", "subject": {"contact_id": self.contact_id}, "reason": _REASON}
        request = self._calls.call("POST", "/privacy/requests", asked)["id"]
        shown = self._done(request, EXPORTED_WITHIN_SECONDS, chapter)
        content = http.request("GET", shown["link"]).data
        files = archive_files(content)
        _expect("index.html" in files, "the ZIP has an index")
        FOLDER.mkdir(parents=True, exist_ok=True)
        file = FOLDER / "person.zip"
        file.write_bytes(content)
        chapter.line(
            f"export: {len(files)} files, {len(content):,} bytes, {file.relative_to(ROOT)}"
        )
        chapter.is_printed = False
        chapter.table(("context", "exported"), receipt_rows(shown["receipts"]))

    def _end(self, chapter: Chapter) -> None:
        if not self.erasure:
            raise Unexpected("the erasure was not requested")
        shown = self._done(self.erasure, ERASED_WITHIN_SECONDS, chapter)
        chapter.line(f"requested {shown['requested_at']}, done {shown['finished_at']}", "strong")
        chapter.is_printed = True
        chapter.table(("context", "removed or changed"), receipt_rows(shown["receipts"]))
        chapter.is_printed = False
        chapter.table(("context", "kept", "until", "because"), kept_rows(shown["receipts"]))
        _expect(_contexts(shown) >= CONTEXTS, "every context has a receipt")
        _expect(shown["names"] == [], "the request names no person any more")
        person = self.author.person
        _expect(
            self._calls.answer("GET", f"/contacts/{self.contact_id}")[0] == HTTPStatus.NOT_FOUND,
            "the contact is gone",
        )
        for words in (person.tel, person.email):
            _expect(self._search(words) == [], "a search finds no person")
        _expect(len(self._search(self.author.namesake.person.email)) == 1, "the namesake stays")
        removed = sum(sum(one["counts"].values()) for one in shown["receipts"])
        chapter.summary = (
            f"{removed} items of {len(shown['receipts'])} contexts; a search finds nothing,"
            " the namesake stays"
        )

    def _receive(self, raw: bytes) -> None:
        mailbox = customer_messages.MAILBOX
        deliver(self.stack, received(raw, mailbox, Verdicts()), mailbox)

    def _found(self, words: str) -> str:
        """Return the id of the one contact with these words. Raises Unexpected."""
        found = until(lambda: self._search(words) or None, every=SEARCH_SECONDS)
        _expect(found is not None and len(found) == 1, "the search finds one contact")
        return str(found[0]["contactId"]) if found else ""

    def _search(self, words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._calls.call("GET", f"/contacts?q={quote(words)}")[
            "contacts"
        ]
        return found

    def _rows(self, contact_id: str) -> list[dict[str, Any]]:
        path = f"/contacts/{contact_id}/conversations"
        rows: list[dict[str, Any]] = self._calls.call("GET", path)["conversations"]
        return rows

    def _wait_for(self, channels: set[str], chapter: Chapter) -> list[dict[str, Any]]:
        """Return the conversations of the contact, one on each of these channels. Raises Unexpected."""

        def shown() -> list[dict[str, Any]] | None:
            rows = self._rows(self.contact_id)
            chapter.progress(f"{len(rows)} of {len(channels)} conversations are the contact's")
            return rows if {row["channel"] for row in rows} == channels else None

        rows = until(shown)
        _expect(
            rows is not None and len(rows) == len(channels),
            f"one contact on {len(channels)} channels",
        )
        return rows or []

    def _done(self, request: str, seconds: float, chapter: Chapter) -> dict[str, Any]:
        """Return a request that is done. Raises Unexpected."""

        def shown() -> dict[str, Any] | None:
            found = self._calls.call("GET", f"/privacy/requests/{request}")
            chapter.progress(
                f"{found['kind']}: {found['stage']}, {found.get('problem') or 'no problem'}"
            )
            return found if found["stage"] == "done" else None

        found = until(shown, seconds)
        if found is None:
            raise Unexpected("a request about the person is not done")
        return found


def page_rows(conversations: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield channel, context, status and newest message of each conversation of a contact."""
    for row in conversations:
        preview = shortened(row.get("preview"), PREVIEW) or ""
        yield row["channel"], row["context"], row["status"], preview


def consent_rows(channels: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield channel, address, choice and evidence of each address of a contact."""
    for channel in channels:
        for one in channel["identifiers"]:
            yield (
                channel["channel"],
                one["text"],
                one.get("state") or "none",
                one.get("evidence") or "",
            )


def receipt_rows(receipts: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the counts of each context that had something."""
    for receipt in receipts:
        if receipt["counts"]:
            counts = ", ".join(f"{count} {kind}" for kind, count in receipt["counts"].items())
            yield receipt["context"], counts


def kept_rows(receipts: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield what each context keeps, until when, and the reason."""
    for receipt in receipts:
        for one in receipt.get("kept") or ():
            yield (
                receipt["context"],
                one["kind"],
                (one.get("until") or "for good")[:10],
                one["reason"],
            )


def archive_files(content: bytes) -> list[str]:
    """Return the names in a ZIP, each of which was read whole. Raises Unexpected."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if archive.testzip() is not None:
            raise Unexpected("a file of the ZIP is damaged")
        return archive.namelist()


def _names(shown: dict[str, Any]) -> str:
    return ", ".join(f"{one['kind']} {one['value']}" for one in shown["names"])


def _contexts(shown: dict[str, Any]) -> set[str]:
    return {receipt["context"] for receipt in shown["receipts"]}


def _is_played(play: Callable[[Chapter], None], chapter: Chapter) -> bool:
    try:
        play(chapter)
    except (Unexpected, RuntimeError, StackError, HTTPError) as problem:
        chapter.line(f"The story of a customer stopped: {problem}", "fault")
        return False
    return True


def _sent(status: int, name: str, text: str, chapter: Chapter) -> None:
    is_expected = status == HTTPStatus.OK
    chapter.step(status, name, text, is_expected=is_expected)
    _expect(is_expected, f"the message {name} is accepted")


def _expect(is_true: bool, what: str) -> None:
    if not is_true:
        raise Unexpected(f"not true: {what}")
