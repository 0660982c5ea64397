"""Mails of an automated mailbox are forwarded to the AI conversations."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from shared.events.exchange import InboundMessage
from tests.simulation.email_threads.mails import bounce, verified, with_files
from tests.simulation.email_threads.system import ANN, AUTOMATED, COMPANY, MAILBOX, System, mail


def forwarded_of(system: System, raw: bytes) -> list[dict[str, object]]:
    system.deliver(raw, name=f"{len(system.mails())}", address=AUTOMATED)
    system.drain()
    return system.forwarded()


def test_a_mail_is_forwarded_with_its_thread_and_its_verified_company(system: System) -> None:
    (event,) = forwarded_of(
        system,
        mail("a@x", "Hello, are you there?", to=AUTOMATED).replace(
            f"From: {ANN}".encode(), f"From: Ann <{ANN}>".encode()
        ),
    )

    (thread,) = system.threads()
    (stored,) = system.mails()
    TypeAdapter(InboundMessage).validate_python(event)
    assert event == {
        "type": "inbound_message",
        "v": 1,
        "provider": "ses",
        "provider_message_id": stored["email_id"],
        "account": AUTOMATED,
        "company": COMPANY,
        "channel_method": "email",
        "business_address": AUTOMATED,
        "customer_address": ANN,
        "profile_name": "Ann",
        "received_at": stored["received_at"],
        "kind": "text",
        "text": "Hello, are you there?",
        "extra": {
            "cid": thread["conversation_id"],
            "n": 1,
            "subject": "Chairs",
            "message_id": "a@x",
            "references": [],
            "trust": "verified",
            "auto_answer_allowed": True,
        },
    }


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("Yes, please.", "Shall I call? You can also talk to a human."),
        ("STOP", "Our offers of the week."),
    ],
)
def test_quotes_are_left_out(system: System, written: str, quoted: str) -> None:
    body = f"{written}\n\nOn Mon, 2 Nov 2026 at 12:00, Shop <{AUTOMATED}> wrote:\n> {quoted}\n"
    (event,) = forwarded_of(system, mail("a@x", body, to=AUTOMATED, subject="Re: Offer"))

    assert event["text"] == written
    assert quoted in system.mails()[0]["body"]


@pytest.mark.parametrize(
    "raw",
    [
        mail("a@x", to=AUTOMATED, sender="no-reply@orchard.example"),
        mail("a@x", to=AUTOMATED, subject="Automatic reply: Chairs"),
        mail("a@x", to=AUTOMATED, more="X-Auto-Response-Suppress: All"),
        verified(with_files()),
    ],
    ids=["robot", "subject", "suppressed", "program"],
)
def test_a_mail_that_no_program_may_answer_says_so(system: System, raw: bytes) -> None:
    (event,) = forwarded_of(system, raw)

    assert isinstance(event["extra"], dict)
    assert event["extra"]["auto_answer_allowed"] is False


@pytest.mark.parametrize(
    "raw",
    [
        mail("a@x", to=AUTOMATED, more="Auto-Submitted: auto-replied"),
        mail("a@x", to=AUTOMATED, more="List-Id: <news.example>"),
        mail("a@x", to=AUTOMATED, dmarc="fail"),
        mail("a@x", to=AUTOMATED, sender="<>"),
        bounce("a@x"),
        mail("a@x", to=AUTOMATED, is_checked=False),
        mail("a@x", to=AUTOMATED, spam="GRAY"),
        mail("a@x", "Your verification code is 123456.", to=AUTOMATED),
    ],
    ids=["automatic", "list", "failed", "no sender", "bounce", "unverified", "gray", "code"],
)
def test_mail_that_no_person_wrote_or_that_does_not_count_stays_here(
    system: System, raw: bytes
) -> None:
    assert forwarded_of(system, raw) == []


def test_files_are_copied_to_the_bucket_of_the_conversations(system: System) -> None:
    (event,) = forwarded_of(system, verified(with_files()))

    (stored,) = system.mails()
    key = f"media/{COMPANY}/email/{stored['email_id']}/order.pdf"
    assert event["media"] == [
        {
            "url": f"s3://{system.media}/{key}",
            "mime_type": "application/pdf",
            "name": "order.pdf",
        }
    ]
    copied = system.s3.get_object(Bucket=system.media, Key=key)["Body"].read()
    assert copied.startswith(b"%PDF")


def test_an_answer_to_a_mail_of_ses_names_the_part_that_its_events_name(system: System) -> None:
    (event,) = forwarded_of(
        system, mail("a@x", to=AUTOMATED, in_reply_to="0102-1@eu-west-1.amazonses.com")
    )

    assert event["reply_to"] == "0102-1"


def test_a_colleagues_mail_is_forwarded_as_the_answer_of_a_person(system: System) -> None:
    (event,) = forwarded_of(system, mail("a@x", "I call you.", sender=AUTOMATED, to=ANN))

    assert event["type"] == "human_reply"
    assert event["customer_address"] == ANN
    assert event["text"] == "I call you."


def test_a_thread_keeps_its_automation_when_that_of_its_mailbox_changes(system: System) -> None:
    forwarded_of(system, mail("a@x", to=AUTOMATED))
    system.register(AUTOMATED, automation="none")
    forwarded_of(system, mail("b@x", to=AUTOMATED, in_reply_to="a@x"))
    forwarded_of(system, mail("c@x", to=AUTOMATED))
    assert [event["extra"]["message_id"] for event in system.forwarded()] == ["a@x", "b@x"]

    thread = system.mails()[0]["conversation_id"].partition("#")[0]
    system.call("PATCH", f"/email-threads/{thread}", {"automation": "none"})
    forwarded_of(system, mail("d@x", to=AUTOMATED, in_reply_to="a@x"))
    assert len(system.forwarded()) == 2


def test_mail_of_other_mailboxes_is_not_forwarded(system: System) -> None:
    system.deliver(mail("a@x"), name="1", address=MAILBOX)
    system.drain()

    assert len(system.mails()) == 1
    assert system.forwarded() == []
