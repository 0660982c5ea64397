"""The demo of the WhatsApp inbox: sends a day of events and reads the conversations and the totals."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import urllib3

from local.demo.delivery_totals import rows_of
from local.demo.webhook_sender import deliver, expected_counts, recent_samples, wait_until_handled

if TYPE_CHECKING:
    from events.whatsapp.sample_builder import Sample
    from local.demo.chapter import Chapter
    from local.demo.delivery_totals import Totals
    from local.stack.cli import Stack

CONVERSATIONS_SHOWN = 20
MESSAGES_SHOWN = 3
http = urllib3.PoolManager(retries=False, timeout=180)


def play(stack: Stack, api_key: str, chapter: Chapter) -> bool:
    """Send the day's samples; return whether the totals match and every response was as expected."""
    started_ms = int(time.time() * 1_000)
    samples = recent_samples()
    failed = [sample for sample in samples if not _send(stack, sample, chapter)]
    totals = wait_until_handled(stack, samples, started_ms, report=chapter.progress)
    _show_inbox(stack, api_key, chapter)
    _show_totals(totals, chapter)
    if failed or not totals.match(*expected_counts(samples)):
        sent = expected_counts(samples)[0]
        chapter.line(f"The totals do not match: {sent} events were sent.", "fault")
        return False
    return True


def _send(stack: Stack, sample: Sample, chapter: Chapter) -> bool:
    """Send one sample; return whether the response status is the expected one."""
    status, is_expected = deliver(stack, sample)
    chapter.step(status, sample.name, sample.description, is_expected=is_expected)
    return is_expected


def _show_inbox(stack: Stack, api_key: str, chapter: Chapter) -> None:
    """Add the inboxes of both numbers with the newest messages of each conversation, as the API returns them."""
    for phone in ("106540352242922", "206540352242933"):
        page = _get(
            stack, api_key, f"/whatsapp/conversations?phone={phone}&limit={CONVERSATIONS_SHOWN}"
        )
        chapter.heading(f"Inbox of number {phone}")
        for conversation in page["result"]["conversations"]:
            _show_conversation(stack, api_key, conversation, chapter)


def _show_conversation(
    stack: Stack, api_key: str, conversation: dict[str, Any], chapter: Chapter
) -> None:
    unread = conversation["unreadCount"]
    name = conversation.get("senderName") or conversation["customer"]
    chapter.line(f"{name}  ({conversation['customer']}), {unread} unread", "strong")
    path = f"/whatsapp/conversations/{conversation['key']}/messages?limit={MESSAGES_SHOWN}"
    for message in reversed(_get(stack, api_key, path)["result"]["messages"]):
        marks = [message["deliveryStatus"]] if message.get("deliveryStatus") else []
        media = message.get("media")
        marks += [f"file {media['status'].lower()}"] if media else []
        marks += [field for field in ("editedAt", "revokedAt") if message.get(field)]
        chapter.message(
            message["receivedAt"][11:19],
            (message.get("preview") or "[deleted]").replace("\n", " "),
            is_outbound=message["direction"] != "INBOUND",
            note=", ".join(marks),
        )


def _get(stack: Stack, api_key: str, path: str) -> dict[str, Any]:
    answer = http.request("GET", stack.api_url + path, headers={"x-api-key": api_key})
    if answer.status != 200:  # noqa: PLR2004 - OK
        raise RuntimeError(f"GET {path.partition('?')[0]} answered {answer.status}")
    page: dict[str, Any] = answer.json()
    return page


def _show_totals(totals: Totals, chapter: Chapter) -> None:
    chapter.heading("Totals")
    duplicates = totals.outcomes["duplicate"] + totals.dropped_by_queue
    chapter.summary = (
        f"{totals.accepted} events accepted = {totals.outcomes['persisted']} stored + {duplicates} duplicates"
        f" + {totals.outcomes['parked']} parked"
    )
    dropped = f"{totals.dropped_by_queue} of the duplicates were dropped by SQS"
    chapter.line(f"{chapter.summary}   ({dropped})")
    if totals.reasons:
        parked = ", ".join(f"{count} {reason}" for reason, count in sorted(totals.reasons.items()))
        chapter.line(f"parked: {parked}")
    chapter.line(
        f"{totals.follow_ups} follow-up events queued by the worker (media downloads, read receipts)"
    )
    chapter.table(("kind", "events", "write units", "per event"), rows_of(totals.costs))
