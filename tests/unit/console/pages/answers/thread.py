"""Answers of a company with an e-mail thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.network import Call, Network

THREAD: Final = "t1"
CUSTOMER: Final = "ann@example.com"
MAILBOX: Final = "help@acme.example"


@dataclass
class Threaded:
    """A thread with the mails of a customer; *drafts* wait in it."""

    texts: list[str] = field(default_factory=lambda: ["Where is my parcel?"])
    drafts: list[dict[str, Any]] = field(default_factory=list)
    assigned_to: str | None = None

    def network(self, pages: Path, *groups: str) -> Network:
        return Company().network(
            pages,
            *groups,
            **{
                "GET /email-threads/{conversation_id}": self.opened,
                "POST /opt-outs/search": lambda _: Answer({"channels": []}),
                "GET /email-threads/drafts": lambda _: Answer({"drafts": self.drafts}),
            },
        )

    def opened(self, _: Call) -> Answer:
        return Answer(
            {
                "conversation_id": THREAD, "mailbox": MAILBOX, "subject": "My parcel",
                "status": "active", "automation": "none", "participant": CUSTOMER,
                "created_at": at(0), "updated_at": at(len(self.texts)), "last_seq": len(self.texts),
                "email_count": len(self.texts), "snippet": self.texts[-1], "tags": [],
                "open_drafts": len(self.drafts), "participants": [CUSTOMER],
                "original_message_id": "<1@example.com>", "thread_references": [],
                "links": {"merged_from": []}, "requirements": {}, "sentiment_scores": [],
                "withheld_mails": [], "join_requests": [], "note_count": 0, "change_count": 0,
                "undoable_merges": [], "assigned_to": self.assigned_to,
                "notes": {"notes": []}, "drafts": {"drafts": self.drafts},
                "mails": {"mails": [self._mail(n) for n in range(len(self.texts), 0, -1)]},
            }
        )  # fmt: skip

    def _mail(self, n: int) -> dict[str, Any]:
        return {
            "n": n, "email_id": f"e{n}", "message_id": f"<{n}@example.com>", "sender": CUSTOMER,
            "to": [MAILBOX], "cc": [], "subject": "My parcel", "body": self.texts[n - 1],
            "new_text": self.texts[n - 1], "timestamp": at(n), "received_at": at(n),
            "direction": "inbound", "kind": "customer", "trust": "verified",
            "needs_review": False, "may_be_admitted": False, "flags": [], "attachments": [],
        }  # fmt: skip
