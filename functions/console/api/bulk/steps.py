"""
The call of its context's routes that changes one conversation, and the one that undoes it. Pure.

A step is made from what the conversation is, and names its version: the context refuses it if that is another one by
now. Each call makes one version more, so the calls that put a conversation back name the versions after the change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from shared.inbox.items import OPEN, SNOOZED, Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from console.store.bulk.items import Action

WHATSAPP: Final = "/whatsapp/conversations/{key}"
THREAD: Final = "/email-threads/{conversation_id}"
TALK: Final = "/conversations/{ref}"
ROUTES: Final = {
    Context.WHATSAPP: WHATSAPP,
    Context.EMAIL_THREADS: THREAD,
    Context.CONVERSATIONS: TALK,
}
NAMES: Final = {
    Context.WHATSAPP: "key",
    Context.EMAIL_THREADS: "conversation_id",
    Context.CONVERSATIONS: "ref",
}
# The attribute of a conversation with its version, and the field of a change that names it.
VERSIONS: Final = {
    Context.WHATSAPP: ("revision", "revision"),
    Context.EMAIL_THREADS: ("last_seq", "expected_seq"),
    Context.CONVERSATIONS: ("revision", "revision"),
}
_OF_OWNER: Final = frozenset({"assign", "resolve", "archive"})

type Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The change of a conversation: the route, its body, and the bodies that put it back, one after the other."""

    line: str
    body: Body
    back: list[Body]


def has_change(context: Context, action: Action) -> bool:
    """
    Whether a context has such a change. The owner of a conversation that a model leads is not changed for many at once:
    the model would stop answering.
    """
    return context is not Context.CONVERSATIONS or action not in _OF_OWNER


def step_of(
    context: Context, action: Action, value: str | None, head: Mapping[str, Any], now: str
) -> Step | None:
    """Return how a conversation, as its context shows it, is changed; None if it is so already."""
    match context:
        case Context.WHATSAPP:
            return _in_whatsapp(action, value, head, now)
        case Context.EMAIL_THREADS:
            return _in_thread(action, value, head, now)
        case Context.CONVERSATIONS:
            return _in_talk(action, value, head, now)


def _in_whatsapp(
    action: Action, value: str | None, head: Mapping[str, Any], now: str
) -> Step | None:
    line = f"PATCH {WHATSAPP}"
    if action == "label":
        return _labelled(line, value, head)
    status, end = head.get("status", OPEN), head.get("snoozedUntil")
    was = {"status": SNOOZED, "snoozedUntil": end} if _is_ahead(end, now) else {"status": OPEN}
    pairs: dict[Action, tuple[Body, Body]] = {
        "assign": ({"assignee": value}, {"assignee": head.get("assignee")}),
        "snooze": (
            {"status": SNOOZED, "snoozedUntil": value},
            {"status": status} if status == "resolved" else was,
        ),
        "resolve": ({"status": "resolved"}, {"status": status} if status == "resolved" else was),
        "archive": ({"archived": True}, {"archived": bool(head.get("archived"))}),
    }
    body, back = pairs[action]
    return None if body == back else Step(line=line, body=body, back=[back])


def _in_thread(action: Action, value: str | None, head: Mapping[str, Any], now: str) -> Step | None:
    line = f"PATCH {THREAD}"
    if action == "label":
        if value in (head.get("tags") or []):
            return None
        return Step(line=line, body={"add_tags": [value]}, back=[{"remove_tags": [value]}])
    end = head.get("snoozed_until")
    snoozed = {"snoozed_until": end if _is_ahead(end, now) else None}
    if action == "assign":
        before = head.get("assigned_to")
        back = [{"assigned_to": before}]
        return None if before == value else Step(line=line, body={"assigned_to": value}, back=back)
    if action == "snooze":
        is_so = snoozed["snoozed_until"] == value
        return None if is_so else Step(line=line, body={"snoozed_until": value}, back=[snoozed])
    status, wanted = head.get("status"), "completed" if action == "resolve" else "archived"
    if status == wanted:
        return None
    # An ended thread becomes active first; a status ends a snooze.
    back = [{"status": "active"}]
    if status != "active":
        back.append({"status": status})
    if snoozed["snoozed_until"] is not None:
        back[-1] |= snoozed
    return Step(line=line, body={"status": wanted}, back=back)


def _in_talk(action: Action, value: str | None, head: Mapping[str, Any], now: str) -> Step | None:
    if action == "label":
        return _labelled(f"POST {TALK}/labels", value, head)
    end = head.get("snoozed_until")
    before = end if _is_ahead(end, now) else None
    body, back = {"snoozed_until": value}, {"snoozed_until": before}
    return None if body == back else Step(line=f"POST {TALK}/snooze", body=body, back=[back])


def _labelled(line: str, value: str | None, head: Mapping[str, Any]) -> Step | None:
    """Labels are replaced as a whole. To put them back is to remove one: they are not kept."""
    labels = list(head.get("labels") or [])
    if value in labels:
        return None
    return Step(line=line, body={"labels": [*labels, value]}, back=[])


def _is_ahead(end: str | None, now: str) -> bool:
    return end is not None and end > now
