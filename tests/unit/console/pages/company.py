"""Answers of a company with conversations of WhatsApp, for the network of a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tests.unit.console.pages.network import Answer, Answered, Call, Network
from whatsapp.store.ordering import order_key

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS: Final[dict[str, Any]] = {
    **dict.fromkeys(("quietUntil", "quietFrom", "quietTo", "zone", "digestHours")),
    "muted": [],
    "isDigestOffered": True,
    "lacksAddress": False,
}
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at(second: int) -> str:
    """The time, so many seconds after NOON."""
    return f"{(NOON + timedelta(seconds=second)).isoformat(timespec='milliseconds')[:-6]}Z"


@dataclass
class Company:
    """
    A company with *rows* conversations, each of which has *messages* messages of its customer, a second apart. *unread*
    are the numbers of conversations with an unread message; *changed* what people have changed of conversations.
    """

    rows: int = 3
    messages: int = 3
    unread: set[int] = field(default_factory=set)
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def network(self, pages: Path, *groups: str, **answers: Answered) -> Network:
        """Return the network of Ada, with the role of a supervisor unless *groups* say otherwise."""
        held = groups or ("acme:supervisor", "acme:team:shop")
        return Network(pages, "ada", held, {**self.answers(), **answers})

    def answers(self) -> dict[str, Answered]:
        return {
            "POST /live/tickets": lambda _: Answer(
                {
                    "ticket": "once",
                    "url": "wss://live.example/prod",
                    "expiresInSeconds": 60,
                    "expiresAt": at(60),
                }
            ),
            **{
                f"GET {parent}/sets": lambda _: Answer({"sets": []})
                for parent in (
                    "/email-mailboxes/{address}",
                    "/admin/richpanel",
                    "/newsletters/settings",
                )
            },
            "GET /email-mailboxes/{address}/trials": lambda _: Answer({"trials": []}),
            "GET /people": lambda _: Answer(
                {
                    "people": [
                        {
                            "principal": f"user:{name}",
                            "name": name.title(),
                            "roles": ["agent"],
                            "teams": ["shop"],
                        }
                        for name in ("ada", "kim")
                    ],
                    "teams": ["shop"],
                    "complete": True,
                    "language": "en",
                }
            ),
            "GET /inbox": self.inbox,
            "GET /inbox/views": lambda _: Answer({"presets": [], "owners": []}),
            "GET /inbox/bulk": lambda _: Answer({"change": None}),
            "GET /inbox/notifications": lambda _: Answer(
                {"notifications": [], "unread": 0, "settings": SETTINGS}
            ),
            "POST /whatsapp/conversations/{key}/read": self.read,
            "PATCH /whatsapp/conversations/{key}": self.change,
            "GET /whatsapp/conversations/{key}": self.opened,
            "GET /whatsapp/conversations/{key}/messages": self.older,
        }

    def row(self, number: int) -> dict[str, Any]:
        """The row of a conversation, the newest of which has number 0."""
        key = f"k{number}"
        names = "project_id contact_id subject context_status snoozed_until assignee due_at due_for"
        absent = dict.fromkeys([*names.split(), "at_risk_at", "waiting_since", "address_text"])
        return absent | {
            "context": "whatsapp", "key": key, "channel": "whatsapp", "address": "15550783881",
            "contact": f"Customer {number}", "handle": f"447700{number:06}",
            "handle_text": f"+44 7700 {number:06}", "preview": f"Message of customer {number}",
            "last_activity_at": at(-number), "status": "open", "labels": [],
            "unread": number in self.unread, "unread_count": int(number in self.unread),
            "version": self.versions.get(key, 1),
        }  # fmt: skip

    def inbox(self, call: Call) -> Answer:
        """A page of the list."""
        is_unread = call.input.get("unread") == "true"
        listed = sorted(self.unread) if is_unread else range(self.rows)
        first = int(call.input.get("cursor", 0))
        last = first + int(call.input["limit"])
        rows = [self.row(number) for number in listed[first:last]]
        result = {"conversations": rows, "lookedAt": len(rows), "lookedBackTo": None}
        cursor = str(last) if last < len(listed) else None
        return Answer(result | {"readUnits": 1}, cursor=cursor)

    def message(self, number: int) -> dict[str, Any]:
        """A message, the oldest of which has number 0."""
        return {
            "id": f"m{number}", "correlation_id": f"c{number}", "direction": "INBOUND", "type": "text",
            "received_at": at(number), "text": f"line {number}.", "preview": f"line {number}.",
        }  # fmt: skip

    def page(self, end: int, count: int) -> dict[str, Any]:
        """The *count* messages before number *end*, newest first."""
        first = max(0, end - count)
        return {
            "messages": [self.message(number) for number in reversed(range(first, end))],
            "calls": [],
            "cursor": str(first) if first else None,
        }

    def opened(self, call: Call) -> Answer:
        """The head of a conversation with its newest messages."""
        key, number = call.path["key"], int(call.path["key"][1:])
        head = dict.fromkeys(("group_name", "read_up_to", "snoozed_until", "assignee")) | {
            "key": key, "phone": "15550783881", "customer": f"447700{number:06}",
            "customer_text": f"+44 7700 {number:06}", "sender_name": f"Customer {number}",
            "unread_count": int(number in self.unread), "last_type": "text", "last_preview": "",
            "last_message_at": at(self.messages), "position": order_key(at(self.messages), "m"),
            "window_until": "2100-01-01T00:00:00.000Z", "archived": False, "status": "open",
            "labels": [], "revision": 1, "notes": [], "changes": [],
            "consent": {"state": "opted_in"},
        }  # fmt: skip
        newest = self.page(self.messages, int(call.input["messages"]))
        return Answer(head | self.changed.get(key, {}) | {"messages": newest})

    def older(self, call: Call) -> Answer:
        page = self.page(int(call.input["cursor"]), int(call.input["limit"]))
        return Answer({key: page[key] for key in ("messages", "calls")}, cursor=page["cursor"])

    def change(self, call: Call) -> Answer:
        """Change the state of a conversation."""
        known = self.changed.setdefault(call.path["key"], {"revision": 1})
        known |= {name: value for name, value in call.input.items() if name != "revision"}
        known["revision"] += 1
        return Answer(self.state(call.path["key"]))

    def read(self, call: Call) -> Answer:
        """Mark a conversation as read."""
        self.unread.discard(int(call.path["key"][1:]))
        return Answer(self.state(call.path["key"]) | {"read_up_to": call.input["upTo"]})

    def state(self, key: str) -> dict[str, Any]:
        absent = dict.fromkeys(("snoozed_until", "assignee", "read_up_to"))
        state = {"revision": 1, "archived": False, "status": "open", "unread_count": 0}
        return absent | state | self.changed.get(key, {})
