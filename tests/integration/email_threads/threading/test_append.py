"""The append: once, under concurrency, at a constant size, and after a crash at any call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from email_threads.store import threads
from email_threads.store.items import Status
from email_threads.threading.head import windows
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.cost.units import capacity
from tests.cost.units.dynamodb import Pricing
from tests.integration.email_threads.calls import by_key, calls_of, die_at
from tests.integration.email_threads.inbox import COMPANY, MAILBOX, NOW, opened

if TYPE_CHECKING:
    from tests.integration.email_threads.inbox import Inbox

# Of a head of 6 KB: four times its size for the table and StatusIndex, and 15 for the other items.
MOST_WRITE_UNITS = 39
REPLY: dict[str, Any] = {
    "message_id": "b@x",
    "in_reply_to": "a@x",
    "references": "z@x a@x",
    "sender": "ann@orchard.example",
}


@pytest.mark.parametrize("event", ["before-call", "after-call"])
@pytest.mark.parametrize("sender", ["ann@orchard.example", "bob@orchard.example"])
def test_a_crash_at_any_call_and_a_redelivery_give_the_same_items(event: str, sender: str) -> None:
    reply = {**REPLY, "sender": sender}  # Bob is no participant: his mail has weak evidence.
    with opened() as inbox:
        inbox.receive("a@x")
        calls = calls_of(inbox, lambda: inbox.receive(**reply))
        wanted = by_key(inbox)

    assert calls > 4
    for number in range(1, calls + 1):
        with opened() as inbox:
            inbox.receive("a@x")
            die_at(inbox, number, event, lambda: inbox.receive(**reply))
            stored = inbox.receive(**reply)

            assert stored.n == 2
            assert by_key(inbox) == wanted, number


def test_two_workers_that_append_at_once_number_their_mails_without_gaps(inbox: Inbox) -> None:
    first = inbox.receive("a@x")
    others = iter(["c@x", "d@x"])

    def interfere(**more: Any) -> None:
        if more["model"].name == "TransactWriteItems" and (other := next(others, None)):
            inbox.receive(other, in_reply_to="a@x")

    inbox.client.meta.events.register("before-call.dynamodb", interfere)
    stored = inbox.receive("b@x", in_reply_to="a@x")

    assert stored.n == 4
    assert [mail.n for mail in inbox.mails(first.conversation_id)] == [1, 2, 3, 4]
    thread = inbox.thread(first.conversation_id)
    assert (thread.last_seq, thread.email_count) == (3, 4)


def test_the_same_mail_in_two_workers_is_stored_once(inbox: Inbox) -> None:
    inbox.receive("a@x")
    others = iter(["b@x"])

    def interfere(**more: Any) -> None:
        if more["model"].name == "TransactWriteItems" and (other := next(others, None)):
            inbox.receive(other, in_reply_to="a@x")

    inbox.client.meta.events.register("before-call.dynamodb", interfere)
    stored = inbox.receive("b@x", in_reply_to="a@x")

    assert (stored.n, stored.is_duplicate) == (2, True)


def test_after_eight_lost_races_the_mail_is_retried_later(inbox: Inbox) -> None:
    key = {"conversation_id": inbox.receive("a@x").conversation_id}

    def interfere(**more: Any) -> None:
        if more["model"].name == "TransactWriteItems":
            inbox.table.update(key, add={"last_seq": 1})

    inbox.client.meta.events.register("before-call.dynamodb", interfere)
    with pytest.raises(Transient, match="thread_contended"):
        inbox.receive("b@x", in_reply_to="a@x")


@pytest.mark.long
def test_a_mail_costs_the_same_in_a_thread_of_12_and_of_40_mails(inbox: Inbox) -> None:
    pricing = Pricing(boto3.client("dynamodb"), capacity.tables(), is_on=True)
    pricing.watch(inbox.client)

    def cost(number: int) -> int:
        pricing.priced.clear()
        references = " ".join(f"{before}@x" for before in range(max(0, number - 20), number))
        inbox.receive(
            f"{number}@x",
            in_reply_to=f"{number - 1}@x" if number else "",
            references=references,
            body="word " * 500,
        )
        return sum(units.write for units in pricing.priced)

    costs = [cost(number) for number in range(40)]

    # A step of one KB: two units of the transaction, one of the index.
    assert max(costs[20:]) <= max(costs[10:14]) + 3
    assert max(costs) <= MOST_WRITE_UNITS
    pricing.is_on = False
    thread = inbox.thread(only_thread(inbox))
    assert (thread.email_count, thread.email_history[-1].message_id) == (40, "39@x")
    assert len(thread.email_history) <= windows.MOST_MAILS
    assert (thread.thread_references[0], thread.thread_references[-1]) == ("0@x", "39@x")
    assert len(thread.model_dump_json()) <= 16 * 1024


def test_an_item_of_an_older_system_is_read_and_completed_by_the_next_mail(inbox: Inbox) -> None:
    conversation_id = inbox.receive("a@x").conversation_id
    key = {"conversation_id": conversation_id}
    inbox.table.update(key, drop=("last_seq", "ttl", "ttl_date", "last_updated_at", "email_count"))

    inbox.table.update(key, put={"email_count": 1})
    inbox.receive("b@x", in_reply_to="a@x")

    thread = inbox.thread(conversation_id)
    assert (thread.last_seq, thread.email_count) == (1, 2)
    assert thread.ttl == NOW // 1_000 + 30 * clock.DAY_SECONDS


def test_the_contracts_attributes_are_stored_under_their_names(inbox: Inbox) -> None:
    conversation_id = inbox.receive(
        "a@x", references="z@x", more="Cc: Cora <cora@x.example>"
    ).conversation_id

    item = inbox.table.get({"conversation_id": conversation_id})
    assert item is not None
    assert {
        "created_at",
        "updated_at",
        "last_updated_at",
        "last_seq",
        "status",
        "ttl",
        "metadata",
    } <= set(item)
    assert item["original_message_id"] == "<z@x>"
    (mail,) = item["email_history"]
    assert {"email_id", "message_id", "references", "from", "to", "cc", "subject", "body"} <= set(
        mail
    )
    assert (mail["from"], mail["cc"]) == ("ann@orchard.example", ["cora@x.example"])
    assert (mail["direction"], mail["metadata"]["spam_score"]) == ("inbound", 0)


def test_threads_are_listed_by_status_and_by_participant(inbox: Inbox) -> None:
    first = inbox.receive("a@x", subject="One topic").conversation_id
    second = inbox.receive("b@x", subject="Another").conversation_id
    inbox.receive("c@x", in_reply_to="b@x", sender="bob@orchard.example")
    foreign = inbox.receive("d@x", company="other").conversation_id

    listed, more = threads.by_status(inbox.table, Status.ACTIVE)
    assert {thread.conversation_id for thread in listed} == {first, second, foreign}
    assert more is None
    of_ann = threads.of_participant(inbox.table, "ann@orchard.example", COMPANY)
    assert {thread.conversation_id for thread in of_ann} == {first, second}
    of_bob = threads.of_participant(inbox.table, "bob@orchard.example", COMPANY)
    assert [thread.conversation_id for thread in of_bob] == [second]
    assert threads.of_participant(inbox.table, MAILBOX, COMPANY) == []


@pytest.mark.parametrize(
    ("date", "stored"),
    [
        ("Mon, 2 Nov 2026 11:00:00 +0000", "2026-11-02T11:00:00.000Z"),
        ("Mon, 2 Nov 2026 12:50:00 +0000", "2026-11-02T12:50:00.000Z"),
        ("Mon, 2 Nov 2026 13:10:00 +0000", "2026-11-02T12:00:00.000Z"),
        ("Thu, 1 Jan 1970 00:00:00 +0000", "2026-11-02T12:00:00.000Z"),
        ("Mon, 1 Jan 2099 00:00:00 +0000", "2026-11-02T12:00:00.000Z"),
        ("unknown", "2026-11-02T12:00:00.000Z"),
    ],
)
def test_an_implausible_date_gives_way_to_the_time_of_receipt(
    inbox: Inbox, date: str, stored: str
) -> None:
    conversation_id = inbox.receive("a@x", more=f"Date: {date}").conversation_id

    assert inbox.mails(conversation_id)[0].timestamp == stored


@pytest.mark.parametrize(("virus", "is_stored"), [("PASS", True), ("FAIL", False)])
def test_a_file_of_a_mail_with_a_virus_has_no_key(
    inbox: Inbox, virus: str, is_stored: bool
) -> None:
    more = "Content-Type: application/pdf; name=a.pdf"
    conversation_id = inbox.receive("a@x", more=more, virus=virus).conversation_id

    (mail,) = inbox.mails(conversation_id)
    key = f"attachments/{conversation_id}/{mail.email_id}/a.pdf"
    assert [file.s3_key for file in mail.attachments] == [key if is_stored else None]


def only_thread(inbox: Inbox) -> str:
    (key,) = [key for key in by_key(inbox) if "#" not in key]
    return key
