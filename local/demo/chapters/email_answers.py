"""
The demo of answers by mail: a model reads a mail and drafts the answer, a person approves it, the customer writes back.

The sandbox simulates SES's events and the customer's mail client.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from events.whatsapp.sample_data import COMPANY
from local.demo.company_api import CompanyApi, http, until
from local.mail.receipt import Verdicts, deliver, received
from local.stack.processes import ROOT
from local.stack.seed import operate

if TYPE_CHECKING:
    from local.demo.chapter import Chapter
    from local.stack.cli import Stack

DESK: Final = "desk@shop.example"
SCOPES: Final = (
    "email_threads:read",
    "email_threads:write",
    "email_threads:approve",
    "email_threads:admin",
)
SETTINGS: Final = {
    "display_name": "The shop",
    "automation": "email_threads",
    "ai": {"provider": "scripted"},
    "signature": "The shop, 1 Mill Lane",
    "requirements_schema": {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "the matter in a few words"},
            "deadline": {"type": "string", "description": "when it must be done"},
            "reference": {"type": "string", "description": "an order or case number"},
        },
        "required": ["title", "deadline", "reference"],
    },
}
_ANSWER: Final = "The order number is order 4711. Please deliver by 2026-12-01."
_SHOWN: Final = ("From", "To", "Reply-To", "Subject", "In-Reply-To", "Message-ID")


class Desk(CompanyApi):
    """The API as the mail desk of the company uses it."""

    def mails(self, thread: str) -> list[dict[str, Any]]:
        """Return the mails of a thread, newest first."""
        found: list[dict[str, Any]] = self.call("GET", f"/email-threads/{thread}/emails")["mails"]
        return found


def desk_of(stack: Stack) -> Desk:
    """Return a desk with its own API key, and register its mailbox."""
    key = operate(
        stack, "api-keys", "create", "--company", COMPANY, "--scopes", *SCOPES, "--name", "desk"
    )
    desk = Desk(stack, key)
    desk.call("PUT", f"/email-mailboxes/{DESK}", SETTINGS)
    return desk


def play(stack: Stack, chapter: Chapter) -> bool:
    """Have a mail answered; return whether it was sent once and the customer's answer joined its thread."""
    desk = desk_of(stack)
    sample = (ROOT / "events/email_threads/mails/question.eml").read_bytes()
    # Not the mail of the first chapter.
    sample = sample.replace(b"CAF-1001@", f"{time.time_ns()}@".encode())
    deliver(stack, received(sample, DESK, Verdicts()), DESK)
    draft = until(
        lambda: _first(desk.call("GET", f"/email-threads/drafts?mailbox={DESK}"), "drafts")
    )
    if draft is None:
        return _failed("no draft was written", chapter)
    thread = draft["conversation_id"]
    _show_thread(desk, thread, chapter)
    asked = ", ".join(draft["questions"])
    chapter.line(f"draft for {draft['to'][0]}, asks for {asked}:", "strong")
    chapter.line(_indented(draft["body_text"]))
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}/approve"
    desk.call("POST", path, {"version": draft["version"]})
    return _sent_and_answered(desk, thread, chapter)


def _sent_and_answered(desk: Desk, thread: str, chapter: Chapter) -> bool:
    sent = until(lambda: _delivered(desk, thread))
    if sent is None:
        return _failed("the answer was not sent, or SES's event about it is missing", chapter)
    ses_id = sent["message_id"].partition("@")[0]
    raw = _from_sandbox(desk.stack, f"{ses_id}.eml")
    chapter.line(f"sent, {sent['delivery']} by SES's event:", "strong")
    chapter.line(_indented("\n".join(_header_lines(raw))))
    answer = _from_sandbox(desk.stack, f"{ses_id}.eml?reply={quote(_ANSWER)}")
    deliver(desk.stack, received(answer, DESK, Verdicts()), DESK)
    completed = until(lambda: _complete(desk, thread))
    _show_thread(desk, thread, chapter)
    if completed is None or len(desk.mails(thread)) != len(("mail", "answer", "mail")):
        return _failed("the customer's answer is not in the thread", chapter)
    chapter.summary = "3 mails in one thread: a question, the approved answer, the customer's reply"
    return True


def _show_thread(desk: Desk, thread: str, chapter: Chapter) -> None:
    head = desk.call("GET", f"/email-threads/{thread}")
    analysis = head.get("ai_analysis") or {}
    chapter.line(
        f"{head['subject']}: {head['status']}, {head['email_count']} mails,"
        f" {analysis.get('language', '-')}, {analysis.get('urgency', '-')} urgency,"
        f" requirements version {head.get('requirements_version', 0)}"
    )
    for name, value in head["requirements"].items():
        chapter.line(f"   {name} = {value}", "result")
    for question in analysis.get("pending_info", []):
        state = "answered" if question.get("answered_n") else "open"
        chapter.line(f"   {question['field']}: {question['question']} ({state})", "faint")


def _delivered(desk: Desk, thread: str) -> dict[str, Any] | None:
    """Return our answer once SES has reported its delivery."""
    newest = desk.mails(thread)[0]
    is_delivered = newest["direction"] == "outbound" and newest.get("delivery") == "delivered"
    return newest if is_delivered else None


def _complete(desk: Desk, thread: str) -> dict[str, Any] | None:
    """Return the thread once all requirements are known."""
    head = desk.call("GET", f"/email-threads/{thread}")
    return head if (head.get("ai_analysis") or {}).get("is_complete") else None


def _from_sandbox(stack: Stack, name: str) -> bytes:
    answer = http.request("GET", f"{stack.sandbox_url}/_sent/{name}")
    return answer.data


def _header_lines(raw: bytes) -> list[str]:
    lines = raw.decode().partition("\r\n\r\n")[0].split("\r\n")
    return [line for line in lines if line.partition(":")[0] in _SHOWN]


def _first(result: dict[str, Any], name: str) -> dict[str, Any] | None:
    return next(iter(result[name]), None)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())


def _failed(problem: str, chapter: Chapter) -> bool:
    chapter.line(f"The answer by mail failed: {problem}.", "fault")
    return False
