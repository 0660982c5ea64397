"""The demo of the WhatsApp inbox: sends a day of events and prints the conversations and the totals."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import urllib3
from rich.table import Table

from local.demo.screen import console
from local.demo.webhook_sender import deliver, expected_counts, recent_samples, wait_until_handled

if TYPE_CHECKING:
    from events.whatsapp.sample_builder import Sample
    from local.demo.delivery_totals import Totals
    from local.stack.cli import Stack

CONVERSATIONS_SHOWN = 20
MESSAGES_SHOWN = 3
http = urllib3.PoolManager(retries=False, timeout=180)


def play(stack: Stack, api_key: str) -> bool:
    """Send the day's samples; return whether the totals match and every response was as expected."""
    started_ms = int(time.time() * 1_000)
    samples = recent_samples()
    console.rule("A day at acme, a bicycle repair shop")
    failed = [sample for sample in samples if not _send(stack, sample)]
    with console.status("waiting for the workers") as status:
        totals = wait_until_handled(stack, samples, started_ms, report=status.update)
    _show_inbox(stack, api_key)
    _show_totals(totals)
    if failed or not totals.match(*expected_counts(samples)):
        console.print(
            f"[red]The totals do not match:[/] {expected_counts(samples)[0]} events were sent."
        )
        return False
    return True


def _send(stack: Stack, sample: Sample) -> bool:
    """Send one sample and print the response status; return whether it is the expected one."""
    status, is_expected = deliver(stack, sample)
    colour = "green" if is_expected else "red"
    console.print(f"  [{colour}]{status:>4}[/]  {sample.name:<24} {sample.description}")
    return is_expected


def _show_inbox(stack: Stack, api_key: str) -> None:
    """Print the inboxes of both numbers with the newest messages of each conversation, as the API returns them."""
    for phone in ("106540352242922", "206540352242933"):
        page = _get(
            stack, api_key, f"/whatsapp/conversations?phone={phone}&limit={CONVERSATIONS_SHOWN}"
        )
        console.rule(f"Inbox of number {phone}")
        for conversation in page["result"]["conversations"]:
            _show_conversation(stack, api_key, conversation)


def _show_conversation(stack: Stack, api_key: str, conversation: dict[str, Any]) -> None:
    unread = conversation["unreadCount"]
    name = conversation.get("senderName") or conversation["customer"]
    console.print(f"[bold]{name}[/]  ({conversation['customer']}), {unread} unread", markup=True)
    path = f"/whatsapp/conversations/{conversation['key']}/messages?limit={MESSAGES_SHOWN}"
    for message in reversed(_get(stack, api_key, path)["result"]["messages"]):
        arrow = "<-" if message["direction"] == "INBOUND" else "->"
        marks = [message["deliveryStatus"]] if message.get("deliveryStatus") else []
        media = message.get("media")
        marks += [f"file {media['status'].lower()}"] if media else []
        marks += [field for field in ("editedAt", "revokedAt") if message.get(field)]
        suffix = f"  ({', '.join(marks)})" if marks else ""
        text = (message.get("preview") or "[deleted]").replace("\n", " ")
        console.print(f"   {message['receivedAt'][11:19]} {arrow} {text}{suffix}", markup=False)


def _get(stack: Stack, api_key: str, path: str) -> dict[str, Any]:
    answer = http.request("GET", stack.api_url + path, headers={"x-api-key": api_key})
    if answer.status != 200:  # noqa: PLR2004 - OK
        raise RuntimeError(f"GET {path.partition('?')[0]} answered {answer.status}")
    page: dict[str, Any] = answer.json()
    return page


def _show_totals(totals: Totals) -> None:
    console.rule("Totals")
    duplicates = totals.outcomes["duplicate"] + totals.dropped_by_queue
    console.print(
        f"{totals.accepted} events accepted = {totals.outcomes['persisted']} stored + {duplicates} duplicates + "
        f"{totals.outcomes['parked']} parked   ({totals.dropped_by_queue} of the duplicates were dropped by SQS)"
    )
    if totals.reasons:
        parked = ", ".join(f"{count} {reason}" for reason, count in sorted(totals.reasons.items()))
        console.print(f"parked: {parked}")
    console.print(
        f"{totals.follow_ups} follow-up events queued by the worker (media downloads, read receipts)"
    )
    table = Table("kind", "events", "write units", "per event", box=None, pad_edge=False)
    for kind, cost in sorted(totals.costs.items()):
        units_per_event = cost.write_units / cost.events
        table.add_row(kind, str(cost.events), f"{cost.write_units:.0f}", f"{units_per_event:.1f}")
    console.print(table)
