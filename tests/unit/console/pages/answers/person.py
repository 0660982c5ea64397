"""A contact with conversations of several channels, and everything that its page reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from tests.unit.console.pages.network import Answered, Call

MERGE = "f" * 32


@dataclass
class Known(Company):
    """
    Lía Peña, contact c0, with *listed* conversations; *same* is a contact who may be her. *made* are the changes of
    contacts that the page has asked for.
    """

    listed: list[dict[str, Any]] = field(default_factory=list)
    same: str | None = None
    made: list[str] = field(default_factory=list)
    opted_out: bool = False

    def __post_init__(self) -> None:
        self.listed = self.listed or [self.of_channel("k0", "whatsapp", "Where is my parcel?")]

    def of_channel(self, key: str, channel: str, preview: str) -> dict[str, Any]:
        """A conversation of hers."""
        context = "email_threads" if channel == "email" else "whatsapp"
        handle = {"email": "lia@example.org"}.get(channel, "447700000000")
        of = {"context": context, "key": key, "channel": channel, "preview": preview}
        return self.row(0) | of | {"contact": "Lía Peña", "handle": handle, "contact_id": "c0"}

    def contact(self, contact_id: str = "c0", name: str = "Lía Peña") -> dict[str, Any]:
        absent = dict.fromkeys(("given_names", "language", "zone", "organisation", "owner"))
        number = {"channel": "whatsapp", "handle": "447700000000", "text": "+44 7700 000000"}
        return absent | {
            "contact_id": contact_id, "name": name, "labels": [], "attributes": {},
            "handles": [number], "identifiers": [], "last_activity_at": at(0),
            "version": 1 + len(self.made),
        }  # fmt: skip

    def merge(self, call: Call) -> Answer:
        is_look = call.input.get("dry_run") or call.input.get("dryRun")
        if not is_look:
            self.made.append("merge")
        merged = self.contact("c1", self.same or "")
        of_merge = dict.fromkeys(("merge_id", "undoable_until")) if is_look else {}
        result = {"kept": self.contact(), "merged": merged, "conversations": 1, "more": False}
        if not is_look:
            self.same = None
            of_merge = {"merge_id": MERGE, "undoable_until": at(86_400)}
        return Answer(of_merge | result)

    def undo(self, _: Call) -> Answer:
        self.made.append("undo")
        return Answer({"contacts": [self.contact()]})

    def consents(self, _: Call) -> Answer:
        absent = dict.fromkeys(
            ("at", "source", "evidence", "said_by", "recorded_by", "unreachable")
        )
        number = {"kind": "phone", "value": "447700000000", "text": "+44 7700 000000"}
        state = {"state": "opted_out" if self.opted_out else None}
        channel = {"channel": "whatsapp", "identifiers": [absent | number | state]}
        return Answer({"channels": [channel], "complete": True})

    def others(self, _: Call) -> Answer:
        found = [self.contact("c1", self.same)] if self.same else []
        return Answer({"contacts": found})

    def answers(self) -> dict[str, Answered]:
        of = "/contacts/{contact_id}"
        return super().answers() | {
            f"GET {of}": lambda _: Answer(self.contact()),
            f"GET {of}/conversations": lambda _: Answer({"conversations": self.listed}),
            f"GET {of}/suggestions": self.others,
            f"GET {of}/consents": self.consents,
            f"GET {of}/notes": lambda _: Answer({"notes": []}),
            f"GET {of}/changes": lambda _: Answer({"changes": []}),
            f"GET {of}/tickets": lambda _: Refusal(403, "forbidden"),
            "GET /attributes": lambda _: Answer({"attributes": []}),
            f"POST {of}/merge": self.merge,
            "POST /contacts/merges/{merge_id}/undo": self.undo,
        }
