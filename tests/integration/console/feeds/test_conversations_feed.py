"""The feed of the AI conversations: entries show facts of the contract's item and of the state."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from conversations.inbound import number_changes
from conversations.lifecycle.status import Status
from conversations.store import conversations, states
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.items.parts.state import state_key
from events.conversations.twilio import SMS_NUMBER
from shared.aws.dynamodb import Table
from shared.identity.addresses import displayed
from shared.policy.consent.withdrawals import Withdrawal
from tests.integration.console.contacts.test_contacts_of_entries import emptied
from tests.integration.console.feeds.conversations_feed import OURS, fed, inbox, only
from tests.integration.console.system import READ, Fed, InboxSystem, notified, rebuilt
from tests.integration.conversations.harness import (
    ANN,
    CAROL,
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    Harness,
    _behind,
    caller,
    harness,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["_behind", "fed", "harness", "inbox"]  # fixtures


def test_a_conversation_appears_with_what_its_item_and_state_show(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()

    assert fed.take() == []

    row = only(inbox)
    assert (row["context"], row["key"], row["channel"]) == ("conversations", ref, "sms")
    assert (row["address"], row["projectId"]) == (SMS_NUMBER, PROJECT)
    assert row["addressText"] == displayed(SMS_NUMBER) != SMS_NUMBER
    assert (row["contact"], row["handle"]) == ("Ann Doe", ANN)
    assert (row["status"], row["contextStatus"]) == ("open", "reply_sent")
    assert row["unread"] is False


def test_colleagues_are_notified_of_what_they_are_given_and_of_notes_that_mention_them(
    harness: Harness,
    fed: Fed,
) -> None:
    ref = harness.begin()
    fed.take()
    harness.on(ref, "take-over", {"assignee": "user:kim"})
    fed.take()
    assert notified(fed) == [("user:kim",)]

    harness.on(ref, "notes", {"text": "<@user:lee> and <@team:sales>: see above"})
    harness.on(ref, "notes", {"text": "@lee is no id"})
    fed.take()
    assert notified(fed) == [("user:lee", "team:sales")]


def test_reports_count_how_people_answered_and_how_the_conversation_ended(
    harness: Harness, inbox: InboxSystem, fed: Fed
) -> None:
    ref = harness.begin()
    fed.take()
    harness.on(ref, "take-over", CAROL)
    harness.says(ref, "are you there?")
    fed.take()
    harness.later(59_000)
    states.note(harness.resources.log, ref, last_outbound_at=harness.later())
    fed.take()
    harness.on(ref, "close", CAROL)
    fed.take()
    fed.take(fed.pending())

    (counts,) = inbox.counts().values()
    wanted = {"opened": 1, "handed_off": 1, "answered": 1, "as": 60}
    wanted |= {"resolved": 1, "ended_with_people": 1}
    assert {name: counts.get(name) for name in wanted} == wanted
    assert "ended_alone" not in counts


def test_a_change_of_the_item_alone_changes_the_entry(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()
    fed.take()
    item = harness.item(ref)
    conversations.change(
        harness.resources.table,
        item.primary_channel,
        item.conversation_id,
        lambda _: {"conversation_status": Status.HANDOFF_PENDING},
    )

    fed.take()

    assert only(inbox)["contextStatus"] == "handoff_pending"


def test_records_of_both_tables_lead_to_one_entry(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    harness.begin()
    records = fed.pending()
    tables = {tuple(sorted(record["dynamodb"]["Keys"])) for record in records}

    for record in (*records, *reversed(records)):
        fed.take([record])

    assert tables == {("conversation_id", "primary_channel"), ("pk", "sk")}
    assert len(fed.announced) == 1
    assert len(inbox.entries()) == 1


@pytest.mark.parametrize("first", ["item", "state"])
def test_a_deleted_conversation_has_no_entry_whichever_part_goes_first(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
    first: str,
) -> None:
    ref = harness.begin()
    fed.take()
    item = harness.item(ref)
    parts = [
        (harness.resources.table, item.key),
        (harness.resources.log, state_key(ref)),
    ]
    for table, key in parts if first == "item" else reversed(parts):
        table.delete(key)

        fed.take()

        assert inbox.entries() == {}


def test_a_key_of_a_project_sees_its_conversations_only(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    harness.begin("one")
    other = harness.begin("two", project=OTHER_PROJECT)
    fed.take()

    rows = inbox.rows(caller(COMPANY, *READ, projects=OTHER_PROJECT))

    assert [row["key"] for row in rows] == [other]


def test_a_conversation_of_another_company_is_not_shown(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    theirs = harness.begin(company=SECOND_COMPANY, channel=ChannelMethod.WHATSAPP)
    fed.take()

    assert inbox.rows(OURS) == []
    assert [row["key"] for row in inbox.rows(caller(SECOND_COMPANY, *READ))] == [theirs]


def test_a_rebuild_makes_the_entries_of_the_feed(
    harness: Harness, inbox: InboxSystem, fed: Fed
) -> None:
    one = harness.begin("one")
    harness.on(one, "take-over", CAROL)
    harness.on(one, "labels", CAROL | {"labels": ["vip"], "revision": 0})
    harness.says(harness.begin("two"), "hello")
    harness.begin("three", Status.CLOSED)
    fed.take()
    wanted = inbox.entries()

    rebuilt(fed, harness.resources.table.name)

    assert len(wanted) == 3
    assert inbox.entries() == wanted


def test_records_of_item_and_state_lead_to_the_same_entry_in_any_order_and_in_any_batches(
    harness: Harness, inbox: InboxSystem, fed: Fed
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    harness.says(ref, "are you there?")
    records = fed.pending()
    tables = {frozenset(one["dynamodb"]["Keys"]) for one in records}
    assert len(tables) == 2, "records of both tables"
    found = []
    for order in (records, records[::-1], records[::2] + records[1::2]):
        for size in (1, 2, len(records)):
            for key in inbox.entries():
                inbox.table.delete({"pk": key})
            for first in range(0, len(order), size):
                assert fed.take(order[first : first + size]) == []
            found.append({key: {**e, "version": 0} for key, e in inbox.entries().items()})

    assert found == [found[0]] * len(found)
    assert len(found[0]) == 1


def test_a_batch_of_conversations_reads_items_states_and_entries_in_one_call_each(
    harness: Harness, inbox: InboxSystem, fed: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin()
    harness.says(ref, "hello")
    fed.take()
    harness.says(ref, "are you there?")
    harness.on(ref, "take-over", CAROL)
    records = fed.pending()
    assert records
    calls: list[str] = []
    one, batch = Table.get, Table._get_at_once

    def get(self: Table, key: dict[str, Any]) -> Any:
        calls.append("one")
        return one(self, key)

    def get_batch(self: Table, *values: Any, **options: Any) -> Any:
        calls.append("batch")
        return batch(self, *values, **options)

    monkeypatch.setattr(Table, "get", get)
    monkeypatch.setattr(Table, "_get_at_once", get_batch)

    fed.take(records)

    # Items of the records, whose `ref` they hold; entries; states; the items that these name; changes of their numbers.
    assert calls == ["batch"] * 5


def test_the_next_owner_of_a_number_is_another_person_in_any_order_of_arrival(
    harness: Harness, inbox: InboxSystem, fed: Fed
) -> None:
    """Two people write text messages from a number, a notice between them; the request names the second one's mail."""
    notice = Withdrawal.of("2026-01-02T12:00:00.000Z", "notice", None, "US.1")
    steps: dict[str, Callable[[], object]] = {
        "ann": lambda: harness.begin(f"{REQUEST_PREFIX}1", began_at="2026-01-01T12:00:00.000Z"),
        "ben": lambda: harness.begin(f"{REQUEST_PREFIX}2", began_at="2026-01-03T12:00:00.000Z"),
        "notice": lambda: number_changes.record(harness.resources, COMPANY, ANN, notice),
    }
    found = set()
    for order in permutations(steps):
        emptied(inbox)
        for table in (harness.resources.table, harness.resources.log):
            everything = table._client.scan(TableName=table.name)["Items"]
            for item in everything:
                sk = item.get("sk", {}).get("S", "")
                if sk in {"withdrawn", "STATE"} or "conversation_id" in item:
                    names = {"pk", "sk"} if sk else {"primary_channel", "conversation_id"}
                    table.delete({name: item[name]["S"] for name in names})
        fed.pending()
        for name in (*order, "notice"):
            steps[name]()
            fed.take()
        entries_of_people = [
            one for key, one in inbox.entries().items() if key.startswith("ENTRY#")
        ]
        found.add(tuple(sorted(str(one["contact_id"]) for one in entries_of_people)))

    assert len(found) == 1, found
    (contacts,) = found
    assert len(set(contacts)) == len(contacts) == 2
