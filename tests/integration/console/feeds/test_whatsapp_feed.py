"""The feed of the WhatsApp inbox: each entry shows its head, in whichever order and however often changes come."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.dynamodb import Table
from shared.inbox import entries, feed
from shared.inbox.items import Context, Entry, Head
from shared.runtime.failures import Permanent
from tests.aws.streams import record_of
from tests.integration.console.system import GLOBEX, Fed, InboxSystem, Invocation, notified
from tests.integration.whatsapp.api.conftest import GLOBEX_PHONE, writes_to_globex
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.api import queries
from whatsapp.store.conversations import agent_changes, inbox_heads
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.conversations.agents import Note

ADA = "447700900101"
BEN = "447700900102"
OF_CONTACTS = {"contact_id", "contact_order", "claims_mark"}


def receive(
    harness: Harness, identity: str, sender: str = ADA, at: int = 60, body: str = "hello"
) -> None:
    contacts = [{"wa_id": sender, "profile": {"name": f"Contact {sender[-3:]}"}}]
    message = text(identity, body, sender=sender, at=NOW // 1000 - at)
    harness.take({"messages": [message], "contacts": contacts})


def head_of(harness: Harness, customer: str = ADA) -> Conversation:
    found = store.heads.get(harness.resources.table, Conversation.key(PHONE, customer))
    assert found is not None
    return found


def change(
    harness: Harness, head: Conversation, cause: str, by: str = "key", **fields: Any
) -> Conversation:
    made = Change(
        fields=fields,
        revision=None,
        cause=cause,
        by=by,
        at="2026-01-01T12:00:00.000Z",
    )
    return agent_changes.apply(harness.resources.table, head, made)


def test_a_message_appears_in_the_inbox_with_what_its_head_shows(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1", body="do you repair bikes?")

    assert whatsapp.take() == []

    (row,) = inbox.rows()
    assert row["context"] == "whatsapp"
    assert row["channel"] == "whatsapp"
    assert row["address"] == PHONE
    assert row["contact"] == "Contact 101"
    assert row["handle"] == ADA
    assert row["preview"] == "do you repair bikes?"
    assert row["lastActivityAt"] == "2026-01-01T11:59:00.999Z"
    assert (row["status"], row["unread"], row["unreadCount"]) == ("open", True, 1)


def test_people_are_notified_of_what_others_give_them_and_of_notes_that_mention_them(
    harness: Harness, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    whatsapp.take()
    change(harness, head_of(harness), "given", assignee="user:kim")
    whatsapp.take()
    change(harness, head_of(harness), "taken", assignee="user:lee", by="user:lee")
    whatsapp.take()
    assert notified(whatsapp) == [("user:kim",)]

    for number, words in enumerate(("<@user:kim> look", "kim, look")):
        note = Note(
            pk=Note.key(f"{number}"),
            company="acme",
            conversation_pk=Note.list_of(head_of(harness).pk),
            received_at="2026-01-01T12:00:00.000Z",
            text=words,
            by="user:lee",
        )
        store.notes.add(harness.resources.table, note)
    whatsapp.take()
    assert notified(whatsapp) == [("user:kim",)]


def test_the_key_of_a_row_is_the_one_that_the_whatsapp_api_takes(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    whatsapp.take()
    deps = queries.ApiDependencies(
        table=harness.resources.table,
        bucket=harness.resources.bucket,
        seal_secret=inbox.module.deps.seal_secret,
    )

    shown = queries.head_of(deps, "acme", inbox.rows()[0]["key"])

    assert shown.from_ == ADA


def test_changes_by_agents_and_reading_change_the_entry(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    head = change(harness, head_of(harness), "c1", assignee="kim", labels={"vip"})
    store.read_marks.mark_read(
        harness.resources.table,
        head,
        up_to=head.last_key or "",
        by="key",
        at="2026-01-01T12:00:00.000Z",
    )
    whatsapp.take()

    (row,) = inbox.rows()
    assert (row["assignee"], row["labels"], row["unread"]) == ("kim", ["vip"], False)

    change(harness, head_of(harness), "c2", assignee=None, status="resolved")
    whatsapp.take()

    (row,) = inbox.rows()
    assert "assignee" not in row
    assert row["status"] == "resolved"
    assert inbox.rows(assignee="kim") == []


def test_a_batch_writes_an_entry_once_however_often_its_head_changed(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    for n in range(5):
        receive(harness, f"wamid.{n}", at=60 - n)
    inbox.table.forget_consumption()

    whatsapp.take()

    assert len(whatsapp.announced) == 1
    assert inbox.rows()[0]["unreadCount"] == 5


def test_a_batch_that_has_used_up_its_time_is_not_announced(
    harness: Harness, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(harness, "wamid.1")
    monkeypatch.setattr(Invocation, "get_remaining_time_in_millis", lambda _: feed.SPARE_MS)

    assert whatsapp.take() == []

    assert whatsapp.announced == []


@pytest.mark.parametrize("seed", range(5))
def test_repeated_and_reordered_records_lead_to_the_same_entries(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, seed: int
) -> None:
    order = random.Random(seed)  # noqa: S311 - an order, not a secret
    records: list[dict[str, Any]] = []
    for n in range(4):
        receive(harness, f"wamid.a{n}", at=60 - n, body=f"message {n}")
        receive(harness, f"wamid.b{n}", sender=BEN, at=50 - n)
        change(harness, head_of(harness), f"c{n}", labels={f"label-{n}"})
        records += whatsapp.pending()
        some = order.choices(records, k=4)
        whatsapp.take(some)
    order.shuffle(records)

    for record in records + records[:5]:
        whatsapp.take([record])

    ada, ben = (Entry.of(shown(harness, customer)).content() for customer in (ADA, BEN))
    found = {
        key: {name: value for name, value in entry.items() if name not in OF_CONTACTS}
        for key, entry in inbox.entries().items()
    }
    assert found == {ada["pk"]: ada, ben["pk"]: ben}


def shown(harness: Harness, customer: str) -> Head:
    found = inbox_heads.shown(head_of(harness, customer))
    assert found is not None
    return found


@dataclass
class Overtaken:
    """The heads of a run that others overtake after it has read its first head."""

    heads: entries.Heads
    overtake: Callable[[], None]
    context: Context = Context.WHATSAPP
    _is_overtaken: bool = False

    def reference_of(self, key: dict[str, Any]) -> str | None:
        return self.heads.reference_of(key)

    def read(self, reference: str) -> Head | None:
        head = self.heads.read(reference)
        if not self._is_overtaken:
            self._is_overtaken = True
            self.overtake()
        return head


def test_a_run_that_read_an_older_head_does_not_replace_a_newer_entry(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1", body="first")
    whatsapp.take()
    receive(harness, "wamid.2", at=30, body="second")

    def overtake() -> None:
        receive(harness, "wamid.3", at=10, body="third")
        whatsapp.take()

    entries.refresh(inbox.tables, Overtaken(whatsapp.heads, overtake), Conversation.key(PHONE, ADA))

    assert inbox.rows()[0]["preview"] == "third"


def test_an_entry_is_not_made_again_by_a_run_that_read_a_head_which_was_then_removed(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    reference = Conversation.key(PHONE, ADA)

    def overtake() -> None:
        whatsapp.take()
        harness.resources.table.delete(pk(reference))
        whatsapp.take()

    entries.refresh(inbox.tables, Overtaken(whatsapp.heads, overtake), reference)

    assert inbox.entries() == {}


def test_a_removed_head_removes_its_entry(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    whatsapp.take()
    harness.resources.table.delete(pk(Conversation.key(PHONE, ADA)))

    whatsapp.take()

    assert inbox.entries() == {}
    assert [one.is_removed for one in whatsapp.announced] == [False, True]


def test_versions_grow_with_each_change_and_stay_without_one(
    harness: Harness, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    whatsapp.take()
    receive(harness, "wamid.2", at=30)
    records = whatsapp.pending()
    whatsapp.take(records)
    whatsapp.take(records)

    first, second = whatsapp.announced
    assert second.version > first.version


def test_records_of_other_items_read_and_write_nothing(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    others = [
        one
        for one in whatsapp.pending()
        if not one["dynamodb"]["Keys"]["pk"]["S"].startswith("CONV#")
    ]

    assert others
    assert whatsapp.take(others) == []
    assert inbox.entries() == {}


def test_a_conversation_without_messages_is_not_in_the_inbox(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    store.customer_facts.open_window(
        harness.resources.table,
        Conversation.key(PHONE, ADA),
        "2026-01-01T11:00:00.000Z",
        "acme",
        PHONE,
    )

    whatsapp.take()

    assert inbox.entries() == {}


def test_a_head_that_cannot_be_shown_is_parked_and_later_records_are_handled(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, counted: list[str]
) -> None:
    harness.resources.table.put({"pk": Conversation.key(PHONE, BEN), "unreadCount": "many"})
    receive(harness, "wamid.1")

    assert whatsapp.take() == []

    (parked,) = entries.parked(inbox.table, Context.WHATSAPP)
    assert (parked.reference, parked.reason) == (Conversation.key(PHONE, BEN), "internal_error")
    assert [row["handle"] for row in inbox.rows()] == [ADA]
    assert "Parked" in counted


def test_a_permanent_failure_is_parked_with_its_reason(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(harness, "wamid.1")

    def refuse(*_: object, **__: object) -> None:
        raise Permanent("too_large")

    monkeypatch.setattr("shared.inbox.entries.refresh", refuse)
    whatsapp.take()

    assert [one.reason for one in entries.parked(inbox.table, Context.WHATSAPP)] == ["too_large"]


def test_a_record_that_fails_for_now_is_retried_and_the_others_are_handled(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(harness, "wamid.1")
    receive(harness, "wamid.2", sender=BEN)
    records = whatsapp.pending()
    transact = Table.transact_once
    failed = Entry.key(Context.WHATSAPP, Conversation.key(PHONE, ADA))

    def throttled(self: Table, entry: dict[str, Any], *counts: Any) -> None:
        if entry["Put"]["Item"]["pk"]["S"] == failed:
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, "TransactWriteItems")
        transact(self, entry, *counts)

    with monkeypatch.context() as patch:
        patch.setattr(Table, "transact_once", throttled)
        retried = whatsapp.take(records)

    numbers = {
        one["dynamodb"]["SequenceNumber"]: one["dynamodb"]["Keys"]["pk"]["S"] for one in records
    }
    assert {numbers[number] for number in retried} == {Conversation.key(PHONE, ADA)}
    assert [row["handle"] for row in inbox.rows()] == [BEN]

    whatsapp.take([one for one in records if one["dynamodb"]["SequenceNumber"] in retried])

    assert {row["handle"] for row in inbox.rows()} == {ADA, BEN}


def test_a_record_about_a_head_that_never_existed_changes_nothing(
    inbox: InboxSystem, whatsapp: Fed
) -> None:
    assert whatsapp.take([record_of({"pk": Conversation.key(GLOBEX_PHONE, ADA)})]) == []

    assert inbox.entries() == {}


def test_entries_of_another_company_are_in_its_own_list(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    writes_to_globex(harness)
    whatsapp.take()

    assert [row["address"] for row in inbox.rows()] == [PHONE]
    assert [row["address"] for row in inbox.rows(GLOBEX)] == [GLOBEX_PHONE]


def test_a_new_conversation_is_counted_once(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, counted: list[str]
) -> None:
    receive(harness, "wamid.1")
    whatsapp.take()
    receive(harness, "wamid.2", at=30)
    whatsapp.take()

    assert counted.count("NewConversations") == 1
