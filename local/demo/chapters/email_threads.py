"""The demo of e-mail threads: puts the sample mails into the bucket and reads the threads that they make."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from email_threads.parsing.kinds import REPORTS
from email_threads.parsing.mail import parse
from email_threads.threading import ids
from events.whatsapp.sample_data import COMPANY
from local.demo.company_api import CompanyApi
from local.mail.receipt import Verdicts, deliver, received
from local.stack.processes import ROOT
from local.stack.seed import operate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from local.demo.chapter import Chapter
    from local.stack.cli import Stack

MAILBOX: Final = "support@shop.example"
MAILS: Final = ROOT / "events/email_threads/mails"
# SES has checked it already; of the others, these do not pass its checks.
CHECKED: Final = frozenset({"verified-by-ses"})
VERDICTS: Final = {
    "forged-verdicts": Verdicts(dmarc="fail"),
    "header-injection": Verdicts(spam="FAIL"),
    "disguised-program": Verdicts(virus="FAIL"),
    "hidden-instructions": Verdicts(spam="GRAY"),
}
STATUSES: Final = ("active", "pending_info", "completed", "archived")
WITHIN_SECONDS: Final = 240
SCOPES: Final = ("email_threads:read", "email_threads:write", "email_threads:admin")


def play(stack: Stack, chapter: Chapter) -> bool:
    """Deliver all sample mails; return whether each is stored in one thread, or parked."""
    key = operate(
        stack, "api-keys", "create", "--company", COMPANY, "--scopes", *SCOPES, "--name", "mail"
    )
    CompanyApi(stack, key).call("PUT", f"/email-mailboxes/{MAILBOX}", {"display_name": "Shop"})
    samples = [_as_received(path) for path in sorted(MAILS.glob("*.eml"))]
    for raw in samples:
        deliver(stack, raw, MAILBOX)
    chapter.line(f"{len(samples)} mails to {MAILBOX} are in the bucket, as SES stores them")
    found, mismatch = _wait(stack, key, samples, report=chapter.progress)
    chapter.table(("status", "mails", "from", "subject", "newest mail"), _rows(found))
    chapter.summary = (
        f"{len(samples)} mails = {found.email_ids.total()} in {len(found.threads)} threads"
        f" + {len(found.parked)} parked ({', '.join(found.parked)})"
    )
    chapter.line(chapter.summary)
    if mismatch:
        chapter.line(f"Not as expected: {mismatch}", "fault")
    return mismatch is None


@dataclass(frozen=True, slots=True)
class Found:
    """The answers of the API: threads, all their mails, and the reasons of parked events."""

    threads: list[dict[str, Any]]
    mails: dict[str, list[dict[str, Any]]]  # by thread, newest first
    parked: list[str]

    @property
    def email_ids(self) -> Counter[str]:
        """The number of copies of each mail."""
        return Counter(mail["email_id"] for mails in self.mails.values() for mail in mails)


def _mismatch(found: Found, samples: list[bytes]) -> str | None:
    """Deviations from: each sample is stored once, or was parked as a report about an unknown mail."""
    stored, missing = found.email_ids, 0
    for raw in samples:
        mail = parse(raw)
        copies = stored[ids.email_id(COMPANY, mail.message_id)]
        if copies > 1 or (copies == 0 and mail.kind not in REPORTS):
            return f"stored {copies} times: {mail.subject}"
        missing += copies == 0
    if missing != len(found.parked):
        return f"{missing} mails are in no thread, {len(found.parked)} are parked"
    return None


def _as_received(sample: Path) -> bytes:
    raw = sample.read_bytes()
    if sample.stem in CHECKED:
        return raw
    return received(raw, MAILBOX, VERDICTS.get(sample.stem, Verdicts()))


def _wait(stack: Stack, key: str, samples: list[bytes], report: Any) -> tuple[Found, str | None]:  # noqa: ANN401 - rich's status
    """
    Read until each mail is stored once or parked; return what differs when the time is over.

    While two threads are merged, the mails of one are in both.
    """
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        found = _read(stack, key)
        mismatch = _mismatch(found, samples)
        if mismatch is None or time.monotonic() > deadline:
            return found, mismatch
        report(f"{found.email_ids.total() + len(found.parked)} of {len(samples)} mails are stored")
        time.sleep(1)


def _read(stack: Stack, key: str) -> Found:
    threads = [one for status in STATUSES for one in _threads(stack, key, status)]
    mails = {one["conversation_id"]: _mails(stack, key, one["conversation_id"]) for one in threads}
    events = CompanyApi(stack, key).call("GET", "/email-threads/parked?state=all&limit=100")[
        "events"
    ]
    return Found(threads, mails, [event["reason"] for event in events])


def _threads(stack: Stack, key: str, status: str) -> list[dict[str, Any]]:
    path = f"/email-threads?status={status}&mailbox={MAILBOX}&limit=100"
    threads: list[dict[str, Any]] = CompanyApi(stack, key).call("GET", path)["threads"]
    return threads


def _mails(stack: Stack, key: str, conversation_id: str) -> list[dict[str, Any]]:
    path = f"/email-threads/{conversation_id}/emails?limit=100"
    mails: list[dict[str, Any]] = CompanyApi(stack, key).call("GET", path)["mails"]
    return mails


def _rows(found: Found) -> Iterator[tuple[str, ...]]:
    for thread in found.threads:
        newest = found.mails[thread["conversation_id"]][0]
        marks = [newest["kind"]] if newest["kind"] != "mail" else []
        marks += [newest["hold_reason"]] if newest.get("hold_reason") else []
        marks += [f"{len(newest['attachments'])} files"] if newest["attachments"] else []
        text = " ".join(newest["new_text"].split())[:40]
        yield (
            thread["status"],
            str(thread["email_count"]),
            thread.get("participant", "-")[:28],
            thread["subject"][:32],
            f"{text} {f'({", ".join(marks)})' if marks else ''}",
        )
