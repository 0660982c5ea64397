"""Two threads that turn out to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from email_threads.store import threads
from email_threads.threading import ids
from email_threads.threading.links import merge
from shared.runtime.failures import Transient
from tests.integration.email_threads.calls import by_key, calls_of, die_at
from tests.integration.email_threads.inbox import COMPANY, opened

if TYPE_CHECKING:
    from email_threads.threading.append import Appended
    from tests.integration.email_threads.inbox import Inbox

EARLIER = "Date: Mon, 2 Nov 2026 09:00:00 +0000"


def joined(inbox: Inbox, **changed: object) -> Appended:
    """Two threads of one customer, and a mail that names both."""
    inbox.receive("a@x", more=EARLIER)
    inbox.receive("b@x", subject="Other")
    inbox.receive("b2@x", in_reply_to="b@x", sender="bob@orchard.example")
    return inbox.receive("c@x", in_reply_to="b@x", references="a@x b@x", **changed)  # type: ignore[arg-type] # of the test


def thread_of(name: str) -> str:
    return ids.conversation_id(COMPANY, name)


def test_a_mail_that_names_two_threads_of_its_sender_joins_the_older_and_merges_the_other(
    inbox: Inbox,
) -> None:
    stored = joined(inbox)

    assert (stored.conversation_id, stored.merges) == (thread_of("a@x"), thread_of("b@x"))
    assert merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))
    winner, mails = inbox.thread(thread_of("a@x")), inbox.mails(thread_of("a@x"))
    assert [(mail.n, mail.message_id) for mail in mails] == [
        (1, "a@x"),
        (2, "c@x"),
        (3, "b@x"),
        (4, "b2@x"),
    ]
    assert (winner.email_count, winner.last_inbound_n, winner.status) == (4, 2, "active")
    assert winner.merged_from == {thread_of("b@x")}


def test_a_merged_thread_leaves_all_lists_and_leads_to_the_other(inbox: Inbox) -> None:
    joined(inbox)
    merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    loser = inbox.thread(thread_of("b@x"))
    assert (loser.status, loser.merged_into, loser.participant) == (
        "archived",
        thread_of("a@x"),
        None,
    )
    assert inbox.mails(thread_of("b@x")) == []
    for person in ("ann@orchard.example", "bob@orchard.example"):
        listed = threads.of_participant(inbox.table, person, COMPANY)
        assert [thread.conversation_id for thread in listed] == [thread_of("a@x")]
    assert inbox.receive("d@x", in_reply_to="b2@x").conversation_id == thread_of("a@x")


def tag(inbox: Inbox, name: str) -> None:
    head = inbox.thread(thread_of(name))
    metadata = head.metadata.model_copy(update={"tags": {"vip", "spam", "auto_reply"}})
    inbox.table.put(head.model_copy(update={"metadata": metadata}).attributes())


@pytest.mark.parametrize(
    ("loser", "winner", "expected"),
    [(False, None, False), (False, True, False), (True, None, None), (None, False, False)],
)
def test_refused_consent_of_one_thread_holds_for_both(
    inbox: Inbox, *, loser: bool | None, winner: bool | None, expected: bool | None
) -> None:
    joined(inbox)
    for name, consent in (("b@x", loser), ("a@x", winner)):
        if consent is not None:
            key = {"conversation_id": thread_of(name)}
            inbox.table.update(key, put={"gdpr_consent": consent})

    assert merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    assert inbox.thread(thread_of("a@x")).gdpr_consent is expected


@pytest.mark.parametrize(
    "changed",
    [{"sender": "bob@orchard.example"}, {"verified": False}],
    ids=["a participant of one thread only", "an unverified mail"],
)
def test_a_mail_without_proof_merges_nothing(inbox: Inbox, changed: dict[str, object]) -> None:
    assert joined(inbox, **changed).merges is None


def test_a_long_thread_is_linked_and_not_merged(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox.receive("a@x", more=EARLIER)
    inbox.receive("b@x")
    inbox.table.update({"conversation_id": thread_of("b@x")}, put={"email_count": 51})

    stored = inbox.receive("c@x", in_reply_to="b@x", references="a@x b@x")

    assert (stored.conversation_id, stored.merges) == (thread_of("a@x"), None)
    for one, other in (("a@x", "b@x"), ("b@x", "a@x")):
        assert inbox.thread(thread_of(one)).metadata.client_info.related == thread_of(other)


def test_a_redelivery_of_the_joining_mail_requests_the_merge_again(inbox: Inbox) -> None:
    first = joined(inbox)

    again = inbox.receive("c@x", in_reply_to="b@x", references="a@x b@x")

    assert (again.is_duplicate, again.merges) == (True, first.merges)


def test_a_mail_that_comes_during_the_merge_is_moved_too(inbox: Inbox) -> None:
    joined(inbox)
    late = iter(["late@x"])

    def interfere(**more: object) -> None:
        is_close = getattr(more["model"], "name", "") == "UpdateItem"
        if is_close and (name := next(late, None)):
            inbox.receive(name, in_reply_to="b2@x", sender="bob@orchard.example")

    inbox.client.meta.events.register("before-call.dynamodb", interfere)
    assert merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    assert "late@x" in [mail.message_id for mail in inbox.mails(thread_of("a@x"))]


def test_a_mail_whose_alias_has_expired_is_moved_too(inbox: Inbox) -> None:
    joined(inbox)
    inbox.table.delete({"conversation_id": f"mid#{ids.email_id(COMPANY, 'b@x')}"})

    assert merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    assert "b@x" in [mail.message_id for mail in inbox.mails(thread_of("a@x"))]


def test_no_mail_is_removed_if_the_other_thread_expires_during_the_merge(inbox: Inbox) -> None:
    joined(inbox)
    calls = iter(range(1_000))

    def expire(**_: object) -> None:
        if next(calls) == 2:
            inbox.table.update({"conversation_id": thread_of("a@x")}, put={"ttl": 1})

    inbox.client.meta.events.register("before-call.dynamodb", expire)
    with pytest.raises(Transient, match="thread_expired"):
        merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    assert [mail.message_id for mail in inbox.mails(thread_of("b@x"))] == ["b@x", "b2@x"]
    assert not merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))


def test_a_thread_that_has_expired_is_not_merged(inbox: Inbox) -> None:
    inbox.receive("a@x")

    assert not merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))


@pytest.mark.long
@pytest.mark.parametrize("event", ["before-call", "after-call"])
def test_a_merge_that_was_killed_at_any_call_ends_the_same(event: str) -> None:
    def run(inbox: Inbox) -> None:
        merge.merge(inbox.table, thread_of("b@x"), thread_of("a@x"))

    with opened() as inbox:
        joined(inbox)
        tag(inbox, "b@x")
        calls = calls_of(inbox, lambda: run(inbox))
        wanted = by_key(inbox)
        winner = inbox.thread(thread_of("a@x"))
        assert (winner.metadata.tags, winner.audit_count) == ({"vip"}, 1)

    assert calls > 10
    for number in range(1, calls + 1):
        with opened() as inbox:
            joined(inbox)
            tag(inbox, "b@x")
            die_at(inbox, number, event, lambda: run(inbox))
            run(inbox)
            assert by_key(inbox) == wanted, number
