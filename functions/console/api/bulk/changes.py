"""One change of one conversation, over the routes of its context."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Literal

from console.api.bulk.calls import Call, Refused
from shared.aws.sqs_fifo import digest
from shared.inbox.items import Context

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.store.bulk_items import Action

WHATSAPP: Final = "/whatsapp/conversations/{key}"
THREAD: Final = "/email-threads/{conversation_id}"
TALK: Final = "/conversations/{ref}"
_MOST_CONFLICTS: Final = 3  # with changes of colleagues at the same time

type Made = Literal["done", "skipped"]  # skipped: the context has no such change


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The change, and the idempotency key under which it is made once."""

    action: Action
    value: str | None
    key: str


type Ask = Callable[[Call], dict[str, Any]]


def make(ask: Ask, wanted: Wanted, context: Context, key: str) -> Made:
    """Change the conversation with this key. Safe to repeat. Raises what *ask* raises."""
    match context:
        case Context.WHATSAPP:
            return _in_whatsapp(ask, wanted, {"key": key})
        case Context.EMAIL_THREADS:
            return _in_thread(ask, wanted, {"conversation_id": key})
        case Context.CONVERSATIONS:
            return _in_talk(ask, wanted, {"ref": key})


def _in_whatsapp(ask: Ask, wanted: Wanted, path: dict[str, str]) -> Made:
    if wanted.action == "label":
        return _labelled(ask, wanted, f"PATCH {WHATSAPP}", path)
    if wanted.action == "read":
        position = ask(Call(line=f"GET {WHATSAPP}", path=path)).get("position")
        if position:
            # A newer message makes another call: the answer of an earlier one is not this one's.
            key = f"{wanted.key}-{digest('read', str(position))}"
            ask(Call(line=f"POST {WHATSAPP}/read", path=path, body={"upTo": position}, key=key))
        return "done"
    bodies: dict[str, dict[str, Any]] = {
        "assign": {"assignee": wanted.value},
        "snooze": {"status": "snoozed", "snoozedUntil": wanted.value},
        "resolve": {"status": "resolved"},
        "archive": {"archived": True},
    }
    ask(Call(line=f"PATCH {WHATSAPP}", path=path, body=bodies[wanted.action], key=wanted.key))
    return "done"


def _in_thread(ask: Ask, wanted: Wanted, path: dict[str, str]) -> Made:
    if wanted.action == "read":
        return "skipped"
    if wanted.action == "archive":
        ask(Call(line=f"POST {THREAD}/archive", path=path, body={}, key=wanted.key))
        return "done"
    bodies: dict[str, dict[str, Any]] = {
        "assign": {"assigned_to": wanted.value},
        "label": {"add_tags": [wanted.value]},
        "snooze": {"snoozed_until": wanted.value},
        "resolve": {"status": "completed"},
    }
    ask(Call(line=f"PATCH {THREAD}", path=path, body=bodies[wanted.action], key=wanted.key))
    return "done"


def _in_talk(ask: Ask, wanted: Wanted, path: dict[str, str]) -> Made:
    """The owner of such a conversation is not changed for many at once: a model would stop answering."""
    if wanted.action == "label":
        return _labelled(ask, wanted, f"POST {TALK}/labels", path)
    if wanted.action != "snooze":
        return "skipped"
    body = {"snoozed_until": wanted.value}
    ask(Call(line=f"POST {TALK}/snooze", path=path, body=body, key=wanted.key))
    return "done"


def _labelled(ask: Ask, wanted: Wanted, line: str, path: dict[str, str]) -> Made:
    """Labels are replaced as a whole, as of a revision."""
    route = line.partition(" ")[2].removesuffix("/labels")
    for attempt in range(1, _MOST_CONFLICTS + 1):
        head = ask(Call(line=f"GET {route}", path=path))
        labels = list(head.get("labels") or [])
        if wanted.value in labels:
            break
        body = {"labels": [*labels, wanted.value], "revision": head.get("revision", 0)}
        # Each revision is another change: the answer of an earlier one is not this one's.
        key = f"{wanted.key}-{body['revision']}"
        try:
            ask(Call(line=line, path=path, body=body, key=key))
            break
        except Refused as refusal:
            if refusal.status != HTTPStatus.CONFLICT or attempt == _MOST_CONFLICTS:
                raise
    return "done"
