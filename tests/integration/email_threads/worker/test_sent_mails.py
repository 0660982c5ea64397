"""Mails that the AI conversations sent appear in the threads of their mailbox."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import OutboundMessage, body_of
from shared.runtime import clock
from tests.simulation.email_threads.mails import SENT, SES_ID
from tests.simulation.email_threads.system import ANN, AUTOMATED, BOB, System, mail


def announce(system: System, sent: OutboundMessage = SENT, attempt: int = 1) -> None:
    entry = Entry(body_of(sent), digest("outbound"), digest(sent.action_id, str(attempt)))
    system.fifo_queues.put(system.queue, entry)
    system.drain()


def reply(in_reply_to: str) -> bytes:
    return mail("answer@x", "Red.", to=AUTOMATED, subject="Re: Your order", in_reply_to=in_reply_to)


def test_a_sent_mail_opens_a_thread_that_the_customers_answer_joins(system: System) -> None:
    announce(system)
    (thread,) = system.threads()
    assert (thread["participant"], thread["mailbox"]) == (ANN, AUTOMATED)
    assert thread["original_message_id"] == f"<{SES_ID}@email.amazonses.com>"

    system.deliver(reply(f"{SES_ID}@email.amazonses.com"), name="1", address=AUTOMATED)
    system.drain()

    assert [(one["direction"], one["body"]) for one in system.mails()] == [
        ("outbound", "Which colour?"),
        ("inbound", "Red."),
    ]
    assert len(system.threads()) == 1


@pytest.mark.parametrize("host", ["email", "us-east-1"])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_answer_joins_under_any_id_that_ses_may_have_given_and_in_any_order(
    system: System, host: str, *, is_first: bool
) -> None:
    if is_first:
        announce(system)
    system.deliver(reply(f"{SES_ID}@{host}.amazonses.com"), name="1", address=AUTOMATED)
    system.drain()
    if not is_first:
        announce(system)

    assert len(system.threads()) == 1
    assert len(system.mails()) == 2


def test_an_answer_names_the_mail_that_it_answers(system: System) -> None:
    system.deliver(mail("question@x", "Is it red?", to=AUTOMATED), name="1", address=AUTOMATED)
    system.drain()
    system.clock.ms += 60_000

    content = {"subject": "Re: Chairs", "text": "Yes.", "in_reply_to": "question@x"}
    announce(system, replace(SENT, content=content, occurred_at=clock.to_text(system.clock.ms)))

    (thread,) = system.threads()
    assert thread["response_time_avg"] == 60
    assert "waiting_since" not in thread


def test_a_repeated_announcement_changes_nothing(system: System) -> None:
    announce(system)
    before = system.rows()

    announce(system, attempt=2)

    assert system.rows() == before


def test_a_copy_of_it_that_ses_delivers_to_the_mailbox_is_not_stored_again(system: System) -> None:
    announce(system)

    copy = mail(f"{SES_ID}@email.amazonses.com", "Which colour?", sender=AUTOMATED, to=ANN)
    system.deliver(copy, name="1", address=AUTOMATED)
    system.drain()

    assert len(system.mails()) == 1
    assert not system.parked()


def test_a_mail_from_an_address_that_is_no_mailbox_is_left_out(system: System) -> None:
    announce(system, replace(SENT, business_address="jobs@elsewhere.example"))

    assert not system.threads()
    assert not system.parked()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"company": "globex"}, "other_company"),
        ({"message_type": "template"}, "malformed_event"),
        ({"customer_address": None}, "malformed_event"),
    ],
)
def test_a_mail_that_cannot_be_shown_is_parked(
    system: System, changes: dict[str, str | None], reason: str
) -> None:
    announce(system, replace(SENT, **changes))  # type: ignore[arg-type] # values of several fields

    (parked,) = system.parked()
    assert parked["reason"] == reason
    assert not system.threads()


@pytest.mark.parametrize(("customer", "count"), [(ANN, 1), (BOB, 2)])
def test_a_mail_of_ours_connects_two_threads_of_one_customer_only(
    system: System, customer: str, count: int
) -> None:
    for name, sender in (("a", ANN), ("b", customer)):
        system.deliver(
            mail(f"{name}@x", sender=sender, to=AUTOMATED, subject=name),
            name=name,
            address=AUTOMATED,
        )
    system.drain()

    content = {"subject": "Both", "text": "Yes.", "in_reply_to": "a@x", "references": ["b@x"]}
    announce(system, replace(SENT, content=content))

    live = [thread for thread in system.threads() if "merged_into" not in thread]
    assert len(live) == count
    assert len(system.mails()) == 3


def test_a_stranger_who_writes_under_the_id_of_a_sent_mail_is_parked_and_joins_nothing(
    system: System,
) -> None:
    announce(system)
    before = system.rows()

    system.deliver(mail(SENT.provider_message_id, sender=BOB, to=AUTOMATED), name="1")
    system.drain()

    (parked,) = system.parked()
    assert parked["reason"] == "message_id_reused"
    added = system.rows().keys() - before.keys()
    assert added == {parked["conversation_id"]}
