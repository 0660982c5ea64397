"""The counting of messages per hour and day, over moto."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone
from whatsapp import store
from whatsapp.jobs.rollup import CountResult, count_due
from whatsapp.store.items import Message, Phone
from whatsapp.store.items.analytics.counts import Counting

WABA = "102290129340398"
INBOX = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"
GLOBEX_PHONE, GLOBEX_WABA = "306540352242944", "302290129340398"
MINUTE = 60_000


def ms(text: str) -> int:
    return clock.from_text(text)


@dataclass
class CountsHarness:
    """The table, a clock that advances by a millisecond per read, and runs of the schedule."""

    harness: Harness
    now: int = ms("2026-01-01T12:30:20Z")
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)

    def tick(self) -> int:
        self.now += 1
        return self.now

    def run(
        self, at: str | None = None, remaining_ms: Callable[[], int] = lambda: 60_000
    ) -> CountResult:
        """Run the count for minute *at*; without *at*, for the next one that counts the current hour."""
        step = 5 * MINUTE
        self.now = ms(at) if at else (self.now // step + 1) * step
        self.reads.clear()
        self.writes.clear()
        return count_due(self.harness.resources.table, self.now // MINUTE * MINUTE, remaining_ms)

    def sent(self, number: int, at: str, status: str = "sent", **more: Any) -> str:
        facts = {"direction": "OUTBOUND", "received_at": at, "sent_at": at, "to": "447700900101"}
        return self._stored(number, {**facts, "delivery_status": status, "status_rank": 1, **more})

    def received(self, number: int, at: str, **more: Any) -> str:
        return self._stored(number, {"direction": "INBOUND", "received_at": at, **more})

    def _stored(self, number: int, facts: dict[str, Any]) -> str:
        message = Message(
            pk=Message.key(f"wamid.{number}"),
            **{
                "company": "acme", "phone": PHONE, "from_": "1", "from_pk": "1", "type": "text",
                "conversation_pk": "CONV#1#2", "payload_hash": "x",
                "inbox_pk": f"arn:parley:whatsapp:::phone-number-id/{facts.get('phone', PHONE)}", **facts,
            },
        )  # fmt: skip
        assert store.messages.add(self.harness.resources.table, message) is None
        return message.pk

    def move(self, message_pk: str, status: str) -> None:
        table = self.harness.resources.table
        message = store.messages.get(table, message_pk)
        assert message is not None
        rank = (message.status_rank or 0) + 1
        facts = Message.named(delivery_status=status, status_rank=rank)
        assert store.messages.move_status(table, message, facts, rank, {"status": status})

    def hour(self, name: str, of: str = WABA) -> dict[str, Any]:
        return self.harness.item(f"HOUR#{of}#{name}")

    def day(self, date: str = "2026-01-01", waba: str = WABA) -> dict[str, Any]:
        return self.harness.item(f"ANALYTICS#{waba}#{date}")

    def counted(self) -> dict[str, dict[str, Any]]:
        """All counts, without their times of creation."""
        keys = [key for key in self.harness.keys() if key.startswith(("HOUR#", "ANALYTICS#"))]
        items = {key: self.harness.item(key) for key in keys}
        return {
            key: {n: v for n, v in item.items() if n != "countedAt"} for key, item in items.items()
        }

    def _note(self, model: Any, params: dict[str, Any], **_: Any) -> None:
        reads = {"GetItem", "BatchGetItem", "Query"}
        (self.reads if model.name in reads else self.writes).append(model.name)


def counts_harness_for(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> CountsHarness:
    """The counting with registered numbers of two companies, which has counted the hours until 23 o'clock."""
    counts_harness = CountsHarness(harness)
    monkeypatch.setattr(clock, "now_ms", counts_harness.tick)
    store.phones.register(harness.resources.table, of_globex())
    store.counts.save_progress(
        harness.resources.table, Counting(pk=Counting.pk_pattern, closed="2025123122")
    )
    harness.resources.table._client.meta.events.register(
        "before-call.dynamodb", counts_harness._note
    )
    return counts_harness


def of_globex() -> Phone:
    return a_phone(
        pk=Phone.key(GLOBEX_PHONE),
        company="globex",
        phone=GLOBEX_PHONE,
        waba_meta_id=GLOBEX_WABA,
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{GLOBEX_PHONE}",
    )
