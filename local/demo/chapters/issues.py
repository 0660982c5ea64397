"""The demo of an issue: readers sign up and confirm, get the newsletter of the chapter before, and one leaves."""

from __future__ import annotations

import email
import json
import re
import time
from email import policy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from events.whatsapp.sample_data import COMPANY
from local.demo.company_api import CompanyApi, http, until

if TYPE_CHECKING:
    from email.message import EmailMessage

    from local.demo.chapter import Chapter
    from local.demo.chapters.newsletters import Editors
    from local.stack.cli import Stack

SENDER: Final = "news@shop.example"
FORM: Final = "application/x-www-form-urlencoded"
LIST: Final = {
    "version": 0,
    "title": "Highland Farms",
    "description": "What the season taught us, once a week.",
    "language": "en",
    "is_open": True,
    "has_archive": True,
    "sender": SENDER,
    "sender_name": "Highland Farms",
    "postal_address": "1 Mill Lane, Leeds",
}
COUNTS: Final = {"audience": 2, "sent": 2, "delivered": 1, "bounced": 1, "unsubscribed": 1}
MAIL_SECONDS: Final = 60


def play(editors: Editors, chapter: Chapter) -> bool:
    """Send an issue; return whether each reader who confirmed got one mail, and the counts say so."""
    stack = editors.stack
    desk, second = CompanyApi(stack, editors.author), CompanyApi(stack, editors.reviewer)
    newest = desk.call("GET", "/newsletters?of=company&status=exported&limit=1")["newsletters"]
    if not newest:
        return _failed("no newsletter is exported", chapter)
    list_id = desk.call("POST", "/contacts/lists", {"name": f"Readers {time.time_ns()}"})["listId"]
    desk.call("PUT", f"/newsletters/lists/{list_id}", LIST)
    unique = time.time_ns()
    reader, hesitant = f"ada.{unique}@readers.example", f"ben.{unique}@readers.example"
    returned = f"cleo.{unique}@readers.example"
    if not _signed_up(stack, list_id, [reader, returned, hesitant], hesitant, chapter):
        return False
    # The mailbox of one reader is full from now on.
    ending = {"to": returned, "event": "Bounce"}
    http.request("POST", f"{stack.sandbox_url}/_mail_endings", body=json.dumps(ending))
    issue = _approved(desk, second, newest[0]["code"], list_id, chapter)
    sent = until(lambda: _counted(desk, issue, {"audience": 2, "sent": 2, "bounced": 1}))
    mail = mail_to(stack, reader, "Highland Farms: an issue") if sent else None
    if mail is None:
        return _failed(f"the counts are {_counts(desk, issue)}", chapter)
    _leave(stack, mail, chapter)
    counts = until(lambda: _counted(desk, issue, COUNTS))
    if counts is None:
        return _failed(f"the counts are {_counts(desk, issue)}", chapter)
    shown = ", ".join(f"{number} {name}" for name, number in COUNTS.items())
    chapter.line(f"counts: {shown}", "result")
    archive = http.request("GET", f"{stack.api_url}/n/{COMPANY}/{list_id}/archive")
    chapter.step(archive.status, "archive", "open to the public", is_expected=archive.status == 200)  # noqa: PLR2004 - OK
    chapter.summary = f"3 sign-ups, 2 confirmed; {shown}"
    return True


def _signed_up(
    stack: Stack, list_id: str, addresses: list[str], hesitant: str, chapter: Chapter
) -> bool:
    """People fill in the form, and all but one press the button of the mail."""
    for address in addresses:
        answer = _post(stack, f"/u/{COMPANY}/{list_id}/subscribe", {"email": address})
        chapter.step(answer.status, "sign-up", address, is_expected=answer.status == 202)  # noqa: PLR2004 - Accepted
    for address in addresses:
        mail = mail_to(stack, address, "Please confirm")
        if mail is None:
            return _failed("a mail that asks to confirm is missing", chapter)
        if address != hesitant:
            path = path_in(mail, r"(/n/confirm/\S+)").replace("/n/", "/u/", 1)
            answer = _post(stack, path, {"act": "save"})
            chapter.step(
                answer.status,
                "confirmation",
                address,
                is_expected=answer.status == 200,  # noqa: PLR2004 - OK
            )
    return True


def _approved(
    desk: CompanyApi, second: CompanyApi, code: str, list_id: str, chapter: Chapter
) -> str:
    """Make an issue, have another key approve it, and send it; return its path."""
    # The lists of contacts follow the confirmations.
    until(lambda: desk.call("GET", f"/contacts/lists/{list_id}/members")["contacts"][1:] or None)
    made = desk.call(
        "POST",
        "/newsletters/issues",
        {
            "newsletter_code": code,
            "list_ids": [list_id],
            "sender": SENDER,
            "sender_name": "Highland Farms",
            "subject": "Highland Farms: an issue for {{first_name|you}}",
            "preheader": "What the season taught us",
            "postal_address": "1 Mill Lane, Leeds",
            "permission_line": "You get this mail because you signed up on our page.",
        },
    )
    path = f"/newsletters/issues/{made['issue_id']}"
    shown = desk.call("GET", f"{path}/checklist")
    checks = shown["checks"]
    chapter.line(f"checklist: {', '.join(one['code'] for one in checks) or 'nothing'}", "faint")
    seen = {"version": made["version"], "content_id": shown["content_id"]}
    approval = {**seen, "acknowledge_warnings": True}
    approved = second.call("POST", f"{path}/approve", approval)
    desk.call("POST", f"{path}/send", {"version": approved["version"]})
    chapter.line(f"{made['issue_id']} is approved by another key than the author's, and sent")
    return path


def _leave(stack: Stack, mail: EmailMessage, chapter: Chapter) -> None:
    """Press the button that a mail program shows beside the sender (RFC 8058)."""
    address = re.search(r"(/u/[^>]+)>", str(mail["List-Unsubscribe"]))
    answer = _post(stack, address[1] if address else "", {"List-Unsubscribe": "One-Click"})
    chapter.step(
        answer.status,
        "one click",
        "a reader leaves the list",
        is_expected=answer.status == 200,  # noqa: PLR2004 - OK
    )


def _counted(desk: CompanyApi, issue: str, wanted: dict[str, int]) -> dict[str, int] | None:
    counts = _counts(desk, issue)
    return counts if all(counts[name] == number for name, number in wanted.items()) else None


def _counts(desk: CompanyApi, issue: str) -> dict[str, int]:
    stats = desk.call("GET", f"{issue}/stats")
    return {name: stats[name] for name in COUNTS}


def mail_to(stack: Stack, address: str, subject: str) -> EmailMessage | None:
    """Return the mail that a reader has got, once it is there."""

    def found() -> EmailMessage | None:
        sent = http.request("GET", f"{stack.sandbox_url}/_sent?provider=ses").json()
        ids = [
            one["answer"]["MessageId"]
            for one in sent
            if one["operation"] == "SendEmail"
            and one["body"]["Destination"].get("ToAddresses") == [address]
            and one["body"]["Content"]["Simple"]["Subject"]["Data"].startswith(subject)
        ]
        if not ids:
            return None
        raw = http.request("GET", f"{stack.sandbox_url}/_sent/{ids[-1]}.eml").data
        return email.message_from_bytes(raw, policy=policy.default)

    return until(found, MAIL_SECONDS)


def path_in(mail: EmailMessage, pattern: str) -> str:
    """Return the first group of a pattern in the text of a mail."""
    part = mail.get_body(("plain",))
    found = re.search(pattern, part.get_content() if part else "")
    return found[1] if found else ""


def _post(stack: Stack, path: str, fields: dict[str, str]) -> Any:  # noqa: ANN401 - urllib3's response
    """Send a form to a public page; links of mails name the address of AWS."""
    return http.request(
        "POST", stack.api_url + path, headers={"Content-Type": FORM}, body=urlencode(fields)
    )


def _failed(problem: str, chapter: Chapter) -> bool:
    chapter.line(f"The issue failed: {problem}.", "fault")
    return False
