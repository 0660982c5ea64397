"""Heads of conversations: what each shows follows from its messages, calls and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatsapp.store.conversations.head_writes import lists_of
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations.groups import Group
from whatsapp.store.ordering import order_key
from whatsapp.worker.updates import groups

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import Items


@dataclass(frozen=True)
class Entry:
    """A message, call or group as the head of its conversation shows it."""

    conversation: str
    at: str
    item: dict[str, Any]
    is_counted: bool

    @property
    def key(self) -> str:
        return order_key(self.at, self.item["pk"])


def entry_of(item: dict[str, Any], items: Items) -> Entry | None:
    """The entry of an item in its conversation's head; None of items that no head shows."""
    match item["itemType"]:
        case "MESSAGE":
            is_inbound = item["direction"] == "INBOUND"
            return Entry(item["conversationPk"], item["receivedAt"], item, is_inbound)
        case "CALL":
            at = item.get("missedAt") or item["lastEventAt"]
            return Entry(item["conversationPk"], at, item, "missedAt" in item)
        case "GROUP" if shown := groups.shown_change(Group.read(item)):
            heads = [i for i in items.values() if i["itemType"] == "CONVERSATION"]
            (head,) = (one for one in heads if one["from"] == item["groupId"])
            assert head.get("groupName") == item.get("name")
            return Entry(head["pk"], shown[0], item, is_counted=False)
    return None


def check_head(head: dict[str, Any], entries: list[Entry]) -> None:
    """Assert that a head shows its newest entry, and counts the unread ones."""
    by_key = {entry.key: entry for entry in entries}
    newest = max(by_key)
    assert head["lastKey"] == newest
    assert head["lastMessagePk"] == by_key[newest].item["pk"]
    assert head["receivedAt"] == by_key[newest].at
    read_up_to = head.get("readUpTo", "")
    counted = {key for key, entry in by_key.items() if entry.is_counted}
    # Messages of the history count as read in the business's own app, unless they also arrived live and were counted.
    old = {k for k in counted if by_key[k].item.get("origin") == "history"} - set(
        head.get("recentKeys", ())
    )
    unread = [k for k in counted - old if k > read_up_to]
    assert head["unreadCount"] == len(unread)
    lists = lists_of(Conversation.read(head))
    assert {name: head.get(name) for name in ("listPk", "assigneePk") if name in head} == lists
