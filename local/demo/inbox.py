"""The chapter of the WhatsApp inbox: a day of events, the conversations that it leaves, and the account of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import urllib3
from rich.table import Table

from local.demo.screen import console
from local.demo.webhook_sender import a_fresh_day, deliver, expectations, wait_until_through

if TYPE_CHECKING:
    from events.whatsapp.story import Sample
    from local.demo.delivery_totals import Account
    from local.stack.cli import Stack

CONVERSATIONS_SHOWN = 20
MESSAGES_SHOWN = 3
http = urllib3.PoolManager(retries=False, timeout=30)


def play(stack: Stack, api_key: str) -> bool:
    """Play the day; whether the account adds up and every sample ended as it should."""
    started_ms = int(time.time() * 1_000)
    day = a_fresh_day()
    console.rule("A day at acme, a bicycle repair shop")
    wrong = [sample for sample in day if not _send(stack, sample)]
    with console.status("waiting for the queue") as status:
        account = wait_until_through(stack, day, started_ms, tell=status.update)
    _show_inbox(stack, api_key)
    _show_account(account)
    if wrong or not account.adds_up(*expectations(day)):
        console.print(f"[red]It does not add up:[/] {expectations(day)[0]} events were sent.")
        return False
    return True


def _send(stack: Stack, sample: Sample) -> bool:
    """Send one sample and say how Parley answered; whether that was as expected."""
    status, right = deliver(stack, sample)
    colour = "green" if right else "red"
    console.print(f"  [{colour}]{status:>4}[/]  {sample.name:<24} {sample.description}")
    return right


def _show_inbox(stack: Stack, api_key: str) -> None:
    """The inboxes of both numbers with the newest messages of each conversation, as the API gives them."""
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
        who = "<-" if message["direction"] == "INBOUND" else "->"
        marks = [message["deliveryStatus"]] if message.get("deliveryStatus") else []
        media = message.get("media")
        marks += [f"file {media['status'].lower()}"] if media else []
        marks += [mark for mark in ("editedAt", "revokedAt") if message.get(mark)]
        mark = f"  ({', '.join(marks)})" if marks else ""
        text = (message.get("preview") or "[deleted]").replace("\n", " ")
        console.print(f"   {message['receivedAt'][11:19]} {who} {text}{mark}", markup=False)


def _get(stack: Stack, api_key: str, path: str) -> dict[str, Any]:
    answer = http.request("GET", stack.api_url + path, headers={"x-api-key": api_key})
    if answer.status != 200:  # noqa: PLR2004 - OK
        raise RuntimeError(f"GET {path.partition('?')[0]} answered {answer.status}")
    page: dict[str, Any] = answer.json()
    return page


def _show_account(account: Account) -> None:
    console.rule("The account")
    duplicates = account.outcomes["duplicate"] + account.dropped_by_queue
    console.print(
        f"{account.accepted} accepted = {account.outcomes['persisted']} stored + {duplicates} duplicate + "
        f"{account.outcomes['parked']} parked   (the queue itself dropped {account.dropped_by_queue} of the duplicates)"
    )
    if account.reasons:
        parked = ", ".join(f"{count} {reason}" for reason, count in sorted(account.reasons.items()))
        console.print(f"parked: {parked}")
    console.print(f"and {account.follow_ups} follow-ups of the worker's own (media, read receipts)")
    table = Table("kind", "events", "write units", "per event", box=None, pad_edge=False)
    for kind, cost in sorted(account.costs.items()):
        each = cost.write_units / cost.events
        table.add_row(kind, str(cost.events), f"{cost.write_units:.0f}", f"{each:.1f}")
    console.print(table)
