"""
The inbox feed may be killed before or after any call it makes, and any call may fail: the retry of its batch results in
the entries of an undisturbed run, and in its counts of reports. The same for batches that are cut, repeated and
reordered, and beside open connections, which receive hints.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp import payloads
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER, JUERGEN, Customer
from shared.aws.dynamodb import Table
from shared.inbox.references import whatsapp_address
from shared.runtime import clock
from tests.aws.streams import Stream
from tests.simulation.console.live import LiveParts, live_parts, messages_to
from tests.simulation.interceptor import Died, Fault, When
from tests.simulation.processes import imported
from tests.simulation.whatsapp.conftest import _system
from tests.simulation.whatsapp.event_builders import EVENT_MINUTE, TIMELINE, echo_webhook, post
from tests.simulation.whatsapp.system import Invocation
from tests.template import create_table, environment
from whatsapp import store
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.simulation.whatsapp.system import System
    from whatsapp.store.items.sending.campaigns import CampaignStatus

CAMPAIGN = "01CAMPAIGN"

__all__ = ["_system"]  # a fixture


def message_of(customer: Customer, label: str, second: int) -> dict[str, Any]:
    """A webhook with a message of a customer."""
    at = TIMELINE.at(EVENT_MINUTE) + second
    message = payloads.message(customer, TIMELINE.inbound_id(customer, label), at, text(label))
    return post(payloads.messages_change(COUNTER, [message], [customer]))


@dataclass
class Fed:
    """A system that has answered Ada, whose head of Jürgen was removed, and an entry of each older state."""

    system: System
    module: ModuleType
    table: Table
    live: LiveParts
    before: list[dict[str, Any]] = field(default_factory=list)  # entries
    records: list[dict[str, Any]] = field(default_factory=list)

    def items(self) -> list[dict[str, Any]]:
        keys = [item["pk"]["S"] for item in self._scan()]
        return sorted(self.table.get_many([pk(key) for key in keys]), key=lambda item: item["pk"])

    def entries(self) -> list[dict[str, Any]]:
        """The content of entries and counts: without versions, which count the writes, and the end of counts."""
        return [
            {n: v for n, v in item.items() if n not in {"version", "ttl"}} for item in self.items()
        ]

    def reset(self) -> None:
        """The entries of the older state, and a new process without faults."""
        for item in self._scan():
            self.table.delete({"pk": item["pk"]["S"]})
        for item in self.before:
            self.table.put(item)
        self.live.clear()
        self.system.interceptor.rewind()

    def run(self, records: list[dict[str, Any]] | None = None) -> None:
        """Handle records until none fails, as Lambda retries: from the first failed one on."""
        left = self.records if records is None else records
        for _ in range(5):
            failed: set[str] = set()
            with suppress(Died):
                answer = self.module.handler({"Records": left}, Invocation())
                failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
                if not failed:
                    return
            numbers = [one["dynamodb"]["SequenceNumber"] for one in left]
            if failed:
                left = left[min(numbers.index(number) for number in failed) :]
            self.system.interceptor.revive()
            self.system.interceptor.fault_at = None
        raise AssertionError("the batch always fails")

    def notified(self) -> set[tuple[str, str]]:
        """Kind and event of the notifications, each event once, as readers show them."""
        found = [item for item in self.live.items() if "kind" in item]
        return {(item["kind"]["S"], item["sk"]["S"].partition("#")[2]) for item in found}

    def kinds(self) -> list[str]:
        """The kinds of the notifications, each event once."""
        return sorted(kind for kind, _ in self.notified())

    def _scan(self) -> list[dict[str, Any]]:
        return list(self.system.dynamodb.scan(TableName=self.table.name)["Items"])


@pytest.fixture(scope="module")
def _fed(_system: System) -> Iterator[Fed]:
    system = _system.reset()
    table = Table(system.dynamodb, create_table(system.dynamodb, "InboxTable", Stage="local"))
    contacts = create_table(system.dynamodb, "ContactsTable", Stage="local")
    module = imported(
        "whatsapp.handlers.inbox_feed", environment("WhatsAppInboxFeed", Stage="local")
    )
    with live_parts(system) as live:
        yield _changed(Fed(system, module, table, live))
    for name in (table.name, contacts):
        system.dynamodb.delete_table(TableName=name)


def _changed(fed: Fed) -> Fed:
    system = fed.system
    stream = Stream(system.table.name)
    for n, customer in enumerate((ADA, JUERGEN)):
        system.deliver_until_accepted(message_of(customer, f"first {n}", n))
    system.drain()
    fed.run(stream.records())
    fed.before = fed.items()
    assert [item["pk"].partition("#")[0] for item in fed.before] == ["ENTRY", "ENTRY", "REPORT"]
    _assign(system, ADA)
    for n in range(3):
        system.deliver_until_accepted(message_of(ADA, f"next {n}", 10 + n))
        system.drain()
    system.deliver_until_accepted(echo_webhook("answer", minute=EVENT_MINUTE + 1))
    system.drain()
    head = store.heads.get(system.table, Conversation.key(COUNTER.phone, ADA.wa_id))
    assert head is not None
    store.read_marks.mark_read(
        system.table, head, up_to=head.last_key or "", by="key", at=head.received_at or ""
    )
    system.table.delete(pk(Conversation.key(COUNTER.phone, JUERGEN.wa_id)))
    for status in ("running", "completed", "completed"):
        system.table.put(_campaign(status).attributes())
    system.table.put(CampaignPage(pk=CampaignPage.of(CAMPAIGN, 1), size=1).attributes())
    fed.records = [
        one
        for one in stream.records()
        if one["dynamodb"]["Keys"]["pk"]["S"].startswith(("CONV#", "CAMPAIGN#"))
    ]
    return fed


def _campaign(status: CampaignStatus) -> Campaign:
    """A campaign of a person, which has just ended."""
    now = clock.to_text(clock.now_ms())
    return Campaign(
        pk=Campaign.key(CAMPAIGN),
        company=COMPANY,
        campaign_id=CAMPAIGN,
        waba_meta_id="1",
        name="Bikes",
        status=status,
        created_at=now,
        phone=COUNTER.phone,
        created_by="user:kim",
        kind="text",
        completed_at=now if status == "completed" else None,
    )


def _assign(system: System, customer: Customer) -> None:
    """A colleague gives a conversation to a person."""
    head = store.heads.get(system.table, Conversation.key(COUNTER.phone, customer.wa_id))
    assert head is not None
    change = Change(
        fields={"assignee": "user:kim"}, revision=None, cause="given", by="user:lee", at=""
    )
    store.agent_changes.apply(system.table, head, change)


@pytest.fixture
def fed(_fed: Fed) -> Fed:
    _fed.reset()
    return _fed


@pytest.fixture(scope="module")
def undisturbed(_fed: Fed) -> tuple[list[dict[str, Any]], int]:
    """The entries after a run without faults, and the number of its calls."""
    _fed.reset()
    _fed.run()
    return _fed.entries(), len(_fed.system.interceptor.calls)


@pytest.mark.long
def test_the_run_makes_the_calls_that_are_killed_below(
    fed: Fed, undisturbed: tuple[list[dict[str, Any]], int]
) -> None:
    (entry, counts, of_person), calls = undisturbed

    assert calls == len(CALLS)
    assert entry["reference"] == Conversation.key(COUNTER.phone, ADA.wa_id)
    assert entry["list_pk"].endswith("#open#read")
    assert (counts["opened"], counts["answered"], counts["as"]) == (2, 1, 60)
    assert of_person["pk"].startswith("REPORT_PERSON#")


# Reads of two entries, and of two heads; a notification; a write for each conversation; a read of the campaign, and its
# notification. Then a look for connections; with one, a post; and a look for browsers that get pushes.
CALLS = range(1, 10)
WITH_A_CONNECTION = range(1, 11)


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", CALLS)
def test_a_run_that_is_killed_at_any_call_is_completed_by_the_next(
    fed: Fed, undisturbed: tuple[list[dict[str, Any]], int], number: int, when: When
) -> None:
    fed.system.interceptor.die_at = (number, when)

    fed.run()

    assert fed.entries() == undisturbed[0]
    assert fed.kinds() == ["assigned", "campaign"]


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("number", CALLS)
def test_a_call_that_fails_is_repeated(
    fed: Fed, undisturbed: tuple[list[dict[str, Any]], int], number: int, fault: Fault
) -> None:
    fed.system.interceptor.fault_at = (number, fault)

    fed.run()

    assert fed.entries() == undisturbed[0]
    assert fed.kinds() == ["assigned", "campaign"]


@pytest.mark.parametrize("seed", range(10))
def test_cut_repeated_and_reordered_batches_lead_to_the_same_entries(
    fed: Fed, undisturbed: tuple[list[dict[str, Any]], int], seed: int
) -> None:
    order = random.Random(seed)  # noqa: S311 - an order, not a secret
    records = [*fed.records, *order.choices(fed.records, k=3)]
    order.shuffle(records)
    while records:
        size = order.randint(1, 4)
        batch, records = records[:size], records[size:]
        fed.run(batch)

    assert fed.entries() == undisturbed[0]
    assert fed.kinds() == ["assigned", "campaign"]


def of_heads(fed: Fed) -> list[dict[str, Any]]:
    return [one for one in fed.records if one["dynamodb"]["Keys"]["pk"]["S"].startswith("CONV#")]


@pytest.mark.parametrize("number", range(1, 7))
def test_a_retry_writes_nothing_that_is_written_already(fed: Fed, number: int) -> None:
    fed.run()
    before = fed.items()
    fed.system.interceptor.rewind()

    fed.run(of_heads(fed)[: number + 1])

    assert fed.items() == before
    reads = ("dynamodb.GetItem", "dynamodb.BatchGetItem")
    written = [one for one in fed.system.interceptor.calls if not one.startswith(reads)]
    assert written == []


def test_a_campaign_that_changes_after_its_end_notifies_and_announces_no_more(fed: Fed) -> None:
    fed.run()
    before = fed.live.items()
    fed.system.interceptor.rewind()

    heads = of_heads(fed)
    fed.run([one for one in fed.records if one not in heads])

    assert fed.live.items() == before
    assert [one.partition(" ")[0] for one in fed.system.interceptor.calls] == [
        "dynamodb.GetItem",
        "dynamodb.PutItem",
    ]


@pytest.fixture
def watched(fed: Fed) -> Fed:
    """An agent of the company, and one of another."""
    for company in (COMPANY, "globex"):
        assert fed.live.connect(fed.live.ticket(company), company) == 200
    fed.system.interceptor.rewind()
    return fed


def keys_of_hints(connection_id: str) -> list[str]:
    return [
        hint.get("key", "") for message in messages_to(connection_id) for hint in message["hints"]
    ]


def test_the_hints_of_a_batch_are_one_message_with_the_keys_that_the_inbox_gives(
    watched: Fed,
) -> None:
    watched.run()

    (message,) = messages_to(COMPANY)
    removed, ended, changed = sorted(
        message["hints"], key=lambda hint: ("removed" not in hint, "key" in hint)
    )
    assert ended == {"context": "whatsapp", "notified": ["user:kim"]}
    assert removed["removed"] is True
    seal = watched.live.api.deps.seal
    opened = [
        seal.open(one["key"], bound_to=whatsapp_address(COMPANY)) for one in (removed, changed)
    ]
    assert opened == [
        Conversation.key(COUNTER.phone, customer.wa_id) for customer in (JUERGEN, ADA)
    ]
    entry = watched.items()[0]
    shown = {"context": "whatsapp", "key": changed["key"], "version": entry["version"]}
    assert changed == {**shown, "notified": ["user:kim"]}
    assert messages_to("globex") == []


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", WITH_A_CONNECTION)
def test_a_run_that_is_killed_beside_a_connection_leaves_the_same_entries(
    watched: Fed, undisturbed: tuple[list[dict[str, Any]], int], number: int, when: When
) -> None:
    watched.system.interceptor.die_at = (number, when)

    watched.run()

    assert watched.entries() == undisturbed[0]
    assert watched.live.connected() == [COMPANY, "globex"]
    # A hint is lost if the run dies between the write and the post, never repeated, and never goes to others.
    assert len(keys_of_hints(COMPANY)) == len(set(keys_of_hints(COMPANY)))
    assert messages_to("globex") == []


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("number", WITH_A_CONNECTION)
def test_a_call_that_fails_beside_a_connection_leaves_the_same_entries(
    watched: Fed, undisturbed: tuple[list[dict[str, Any]], int], number: int, fault: Fault
) -> None:
    watched.system.interceptor.fault_at = (number, fault)

    watched.run()

    assert watched.entries() == undisturbed[0]
    assert messages_to("globex") == []


@pytest.mark.parametrize("number", WITH_A_CONNECTION[-2:])
def test_a_failure_to_announce_does_not_repeat_the_batch(watched: Fed, number: int) -> None:
    watched.system.interceptor.fault_at = (number, Fault.UNAVAILABLE)

    answer = watched.module.handler({"Records": watched.records}, Invocation())

    assert answer == {"batchItemFailures": []}
    assert messages_to(COMPANY) == []
