"""The feed of e-mail threads: entries show their heads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store import changes, drafts, threads
from email_threads.store.changes import Change
from email_threads.store.items import Draft, DraftStatus, Status, Thread
from email_threads.store.items.threads.service_level import ServiceLevel, Target, TargetState
from email_threads.store.items.threads.thread import Direction
from email_threads.store.lists.additions import Additions
from email_threads.store.lists.inbox_heads import EmailHeads
from email_threads.threading import ids
from email_threads.threading.links import merge
from tests.integration.console.system import (
    ACME,
    GLOBEX,
    Fed,
    InboxSystem,
    inbox_on_moto,
    notified,
    rebuilt,
)
from tests.integration.email_threads.inbox import COMPANY, MAILBOX, Inbox, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

ANN = "ann@orchard.example"


@pytest.fixture
def mails() -> Iterator[Inbox]:
    with opened() as mails:
        yield mails


@pytest.fixture
def inbox(mails: Inbox) -> Iterator[InboxSystem]:
    with inbox_on_moto() as system:
        yield system


@pytest.fixture
def fed(mails: Inbox, inbox: InboxSystem) -> Fed:
    additions = Additions(mails.table)
    return inbox.fed_by(EmailHeads(mails.table), mails.table.name, additions=additions)


def thread_of(message_id: str) -> str:
    return ids.conversation_id(COMPANY, message_id)


def change(
    mails: Inbox, thread: Thread, cause: str, detail: str | None = None, **fields: Any
) -> None:
    made = Change(
        fields=fields,
        at="2026-11-02T12:00:00.000Z",
        actor="kim",
        action="changed",
        detail=detail,
        cause=cause,
    )
    assert changes.change(mails.table, thread, made) is not None


def test_a_thread_shows_the_name_that_the_mails_of_its_customer_have(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    def shown() -> tuple[str | None, str | None]:
        fed.take()
        (row,) = inbox.rows(status="all")
        return row["contact"], row["handle"]

    mails.receive("a@x", sender=f'"=?utf-8?q?Ann_Mar=C3=ADa=E2=80=AE?= Byrne" <{ANN}>')
    mails.receive("b@x", in_reply_to="a@x", sender=ANN)
    mails.receive("c@x", in_reply_to="a@x", sender=f'"ceo@orchard.example" <{ANN}>')
    assert shown() == ("Ann Mar\u00eda Byrne", ANN)

    mails.receive("d@x", in_reply_to="a@x", sender=f"Ann Byrne-Lund <{ANN}>")
    mails.receive("e@x", in_reply_to="a@x", sender=f"Ann the Forger <{ANN}>", dmarc="fail")
    assert shown() == ("Ann Byrne-Lund", ANN)


def test_a_name_that_only_an_unproven_mail_has_names_no_proven_customer(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x", sender=f"Ann the Forger <{ANN}>", verified=False)
    fed.take()
    assert [row["contact"] for row in inbox.rows(status="all")] == ["Ann the Forger"]

    mails.receive("b@x", in_reply_to="a@x", sender=ANN)
    fed.take()
    assert [row.get("contact") for row in inbox.rows(status="all")] == [None]


def test_a_thread_shows_the_earliest_due_time_that_runs(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x")
    first = Target(due_at="2026-11-02T14:00:00.000Z", alarm_at="2026-11-02T13:30:00.000Z")
    later = Target(due_at="2026-11-03T12:00:00.000Z", alarm_at="2026-11-03T06:00:00.000Z")
    level = ServiceLevel(
        started_at="2026-11-02T12:00:00.000Z", first_response=first, resolution=later
    )
    reached = first.model_copy(update={"state": TargetState.MET})
    shown = []
    changed: dict[str, dict[str, Any]] = {
        "begun": {"service_level": level},
        "answered": {"service_level": level.model_copy(update={"first_response": reached})},
        "paused": {
            "service_level": level.model_copy(
                update={"first_response": reached, "paused_at": first.due_at}
            )
        },
        "closed": {"service_level": level, "status": Status.ARCHIVED},
    }
    for cause, fields in changed.items():
        change(mails, mails.thread(thread_of("a@x")), cause, **fields)
        assert fed.take() == []
        (row,) = inbox.rows(status="all")
        shown.append(tuple(row.get(name) for name in ("dueFor", "dueAt", "atRiskAt")))

    assert shown == [
        ("first_response", first.due_at, first.alarm_at),
        ("resolution", later.due_at, later.alarm_at),
        (None, None, None),
        (None, None, None),
    ]


def test_the_assignee_is_notified_of_a_thread_its_due_times_drafts_and_mentions(
    mails: Inbox, fed: Fed
) -> None:
    mails.receive("a@x")
    fed.take()
    given = mails.thread(thread_of("a@x")).metadata.model_copy(update={"assigned_to": "user:kim"})
    change(mails, mails.thread(thread_of("a@x")), "given", "assigned_to status", metadata=given)
    fed.take()
    first = Target(due_at="2026-11-02T14:00:00.000Z", alarm_at="2026-11-02T13:30:00.000Z")
    for cause, update in (
        ("begun", {}),
        ("alarm", {"alarmed": True}),
        ("breach", {"alarmed": True, "state": TargetState.OVERDUE}),
    ):
        level = ServiceLevel(
            started_at="2026-11-02T12:00:00.000Z", first_response=first.model_copy(update=update)
        )
        change(mails, mails.thread(thread_of("a@x")), cause, service_level=level)
        fed.take()
    assert notified(fed) == [("user:kim",)] * 3  # given, at risk, overdue

    for status in (DraftStatus.PENDING, DraftStatus.APPROVED):
        drafts.create(mails.table, draft_of(mails.thread(thread_of("a@x")), status))
    changes.add_note(
        mails.table,
        mails.thread(thread_of("a@x")),
        text="<@user:lee>, <@user:kim>?",
        at="2026-11-02T12:00:00.000Z",
        by="user:kim",
        cause="note",
        touched={},
    )
    fed.take()
    assert sorted(notified(fed)) == [("user:kim",), ("user:lee",)]


def draft_of(thread: Thread, status: DraftStatus) -> Draft:
    return Draft(
        **Draft.key(thread.conversation_id, status),
        reply_id=status,
        company_id=thread.company_id,
        mailbox=thread.mailbox,
        updated_at="2026-11-02T12:00:00.000Z",
        draft_status=status,
        ttl=2_000_000_000,
        origin="ai",
    )


def test_a_mail_appears_with_what_its_thread_shows(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x", subject="Chairs", body="Do you have oak chairs?")

    assert fed.take() == []

    (row,) = inbox.rows()
    assert (row["context"], row["key"]) == ("email_threads", thread_of("a@x"))
    assert (row["channel"], row["address"]) == ("email", MAILBOX)
    assert (row["handle"], row["subject"]) == (ANN, "Chairs")
    assert row["preview"] == "Do you have oak chairs?"
    assert (row["status"], row["contextStatus"], row["unread"]) == ("open", "active", True)
    assert row["lastActivityAt"] == "2026-11-02T12:00:00.000Z"
    assert row["waitingSince"] == mails.thread(thread_of("a@x")).waiting_since


def test_an_answer_makes_a_thread_read(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x")
    mails.receive("b@shop", sender=MAILBOX, in_reply_to="a@x", to=ANN, verified=False)
    thread = mails.thread(thread_of("a@x"))

    fed.take()

    assert [row["unread"] for row in inbox.rows()] == [bool(thread.waiting_since)]
    assert [row.get("waitingSince") for row in inbox.rows()] == [thread.waiting_since]
    assert thread.email_count == 2


def test_reports_count_the_opening_the_answer_and_the_end_of_a_thread(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x")
    fed.take()
    thread = mails.thread(thread_of("a@x"))
    written = thread.email_history[-1].model_copy(
        update={"direction": Direction.OUTBOUND, "timestamp": "2026-11-02T12:10:00.000Z"}
    )
    answered = {"email_history": [*thread.email_history, written], "waiting_since": None}
    end = {"status": Status.COMPLETED, "closed_at": "2026-11-02T13:00:00.000Z"}
    for cause, fields in (("answered", answered), ("completed", end)):
        change(mails, mails.thread(thread_of("a@x")), cause, **fields)
        assert fed.take() == []

    (counts,) = inbox.counts().values()
    assert counts == {
        "opened": 1,
        "h12": 1,
        "answered": 1,
        "as": 600,
        "a1": 1,
        "bs": 600,
        "b1": 1,
        "resolved": 1,
        "rs": 3_600,
        "r2": 1,
        "ss": 3_600,
        "s2": 1,
    }


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        (Status.PENDING_INFO, "open"),
        (Status.COMPLETED, "resolved"),
        (Status.ARCHIVED, "archived"),
    ],
)
def test_a_status_of_threads_is_shown_as_one_of_the_inbox(
    mails: Inbox, inbox: InboxSystem, fed: Fed, status: Status, shown: str
) -> None:
    mails.receive("a@x")
    thread = mails.thread(thread_of("a@x"))
    change(mails, thread, "c1", status=status, company_status=Thread.list_of(COMPANY, status))
    fed.take()

    (row,) = inbox.rows(status=shown)

    assert row["contextStatus"] == status


def test_assignee_and_tags_are_shown_and_do_not_move_the_thread_up(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x")
    thread = mails.thread(thread_of("a@x"))
    facts = thread.metadata.model_copy(update={"assigned_to": "kim", "tags": {"oak"}})
    change(mails, thread, "c1", metadata=facts, updated_at="2026-11-02T15:00:00.000Z")
    fed.take()

    (row,) = inbox.rows(assignee="kim", label="oak")

    assert row["lastActivityAt"] == "2026-11-02T12:00:00.000Z"


@pytest.mark.parametrize(
    ("status", "shown"), [(Status.PENDING_INFO, "snoozed"), (Status.COMPLETED, "resolved")]
)
def test_only_a_thread_that_is_open_is_shown_as_snoozed(
    mails: Inbox, inbox: InboxSystem, fed: Fed, status: Status, shown: str
) -> None:
    mails.receive("a@x")
    listed = {"status": status, "company_status": Thread.list_of(COMPANY, status)}
    until = "2999-01-01T00:00:00.000Z"
    change(mails, mails.thread(thread_of("a@x")), "c1", snoozed_until=until, **listed)
    fed.take()

    (row,) = inbox.rows()

    assert row["status"] == shown
    assert row.get("snoozedUntil") == (until if shown == "snoozed" else None)


def test_a_new_mail_moves_a_snoozed_thread_to_the_open_ones(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x")
    thread = mails.thread(thread_of("a@x"))
    change(mails, thread, "c1", snoozed_until="2999-01-01T00:00:00.000Z")
    fed.take()
    assert len(inbox.rows(status="snoozed")) == 1

    mails.receive("b@x", in_reply_to="a@x")
    fed.take()

    assert inbox.rows(status="snoozed") == []
    assert len(inbox.rows(status="open")) == 1


def test_a_merged_thread_leaves_the_inbox(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x", more="Date: Mon, 2 Nov 2026 09:00:00 +0000")
    mails.receive("b@x", subject="Other")
    fed.take()
    assert len(inbox.rows()) == 2

    assert merge.merge(mails.table, thread_of("b@x"), thread_of("a@x"))
    fed.take()

    assert [row["key"] for row in inbox.rows()] == [thread_of("a@x")]
    assert len(inbox.entries()) == 1


def test_only_heads_have_entries(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x")
    records = fed.pending()
    others = [one for one in records if "#" in one["dynamodb"]["Keys"]["conversation_id"]["S"]]

    assert len(others) >= 2
    assert fed.take(others) == []
    assert inbox.entries() == {}


def test_a_thread_of_no_company_has_no_entry(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x")
    mails.table.update(Thread.key(thread_of("a@x")), drop=["company_id"])

    fed.take()

    assert inbox.entries() == {}


def test_the_entry_of_a_thread_expires_with_it(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x")
    fed.take()

    (entry,) = inbox.entries().values()

    assert entry["ttl"] == mails.thread(thread_of("a@x")).ttl


def test_a_thread_that_expired_has_no_entry(mails: Inbox, inbox: InboxSystem, fed: Fed) -> None:
    mails.receive("a@x")
    fed.take()
    mails.table.delete(Thread.key(thread_of("a@x")))

    fed.take()

    assert inbox.entries() == {}
    assert threads.get(mails.table, thread_of("a@x")) is None


def test_a_thread_of_another_company_is_not_shown(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x", company="globex")
    fed.take()

    assert inbox.rows(ACME) == []
    assert len(inbox.rows(GLOBEX)) == 1


def test_a_rebuild_makes_the_entries_of_the_feed(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    mails.receive("a@x", more="Date: Mon, 2 Nov 2026 09:00:00 +0000")
    mails.receive("b@x", subject="Other")
    mails.receive("c@x", subject="Third", sender="bob@orchard.example")
    merge.merge(mails.table, thread_of("b@x"), thread_of("a@x"))
    fed.take()
    wanted = inbox.entries()

    rebuilt(fed, mails.table.name)

    assert len(wanted) == 2
    assert inbox.entries() == wanted
