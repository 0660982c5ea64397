"""Which mails may be answered without a person."""

from __future__ import annotations

import pytest

from email_threads.parsing.answer_rules import (
    is_service,
    other_reply_address,
    refusal,
    reply_address,
)
from email_threads.parsing.mail import ParsedMail, parse
from tests.cases import each
from tests.simulation.email_threads import system
from tests.simulation.email_threads.mails import verified, with_files
from tests.unit.email_threads.samples import MAILS, sample
from tests.unit.email_threads.samples import mail as unchecked

MAILBOX = "support@shop.example"


def mail(*more: str, sender: str = "ann@orchard.example", subject: str = "Chairs") -> ParsedMail:
    """A mail that SES has verified; *more* are further header fields."""
    return parse(system.mail("a@x", sender=sender, subject=subject, more="\n".join(more)))


def reason(found: ParsedMail, *, needs_review: bool = False) -> str | None:
    return refusal(found, MAILBOX, needs_review=needs_review)


def test_a_verified_mail_of_a_person_may_be_answered() -> None:
    assert reason(mail()) is None


@pytest.mark.parametrize(
    "field",
    ["Auto-Submitted: auto-replied", "List-Id: <news.shop.example>", "Precedence: bulk"],
)
def test_a_mail_of_a_program_is_not_answered(field: str) -> None:
    assert reason(mail(field)) == "no_mail"


def test_a_report_is_not_answered() -> None:
    assert reason(sample("bounce")) == "no_mail"


def test_a_mail_that_ses_did_not_verify_is_not_answered() -> None:
    assert reason(unchecked()) == "not_verified"


def test_the_mail_of_a_new_participant_is_not_answered() -> None:
    assert reason(mail(), needs_review=True) == "new_participant"


@pytest.mark.parametrize("value", ["All", "OOF, AutoReply", "DR"])
def test_a_sender_may_suppress_answers(value: str) -> None:
    assert reason(mail(f"X-Auto-Response-Suppress: {value}")) == "suppressed_by_sender"


def test_a_sender_who_suppresses_nothing_is_answered() -> None:
    assert reason(mail("X-Auto-Response-Suppress: None")) is None


@each(
    "name",
    [
        "no-reply",
        "NoReply",
        "no_reply",
        "no.reply",
        "noreply+7",
        "noreply-shop",
        "orders-noreply",
        "do-not-reply",
        "do_not_reply",
        "donotreply",
        "mailer-daemon",
        "postmaster",
        "bounce",
        "bounces+7-ann",
        "notification",
        "notifications.shop",
    ],
)
def test_an_address_that_no_person_reads_is_not_answered(name: str) -> None:
    assert reason(mail(sender=f"{name}@orchard.example")) == "robot"


@pytest.mark.parametrize("name", ["noreen", "ann.reply", "norbert.replyson", "bouncer"])
def test_a_name_that_only_looks_like_such_an_address_is_answered(name: str) -> None:
    assert reason(mail(sender=f"{name}@orchard.example")) is None


def test_a_mail_whose_answers_nobody_reads_is_not_answered() -> None:
    assert reason(mail("Reply-To: noreply@orchard.example")) == "robot"


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: Chairs",
        "Auto-Reply: Chairs",
        "Out of office",
        "Automatische Antwort: Stühle",
        "Abwesenheitsnotiz",
        "Réponse automatique : Chaises",
    ],
)
def test_an_automatic_subject_is_not_answered(subject: str) -> None:
    assert reason(mail(subject=subject)) == "automatic_subject"


@pytest.mark.parametrize("subject", ["Out of stock?", "Automatic doors", "The office"])
def test_another_subject_is_answered(subject: str) -> None:
    assert reason(mail(subject=subject)) is None


def test_a_mail_of_two_senders_is_not_answered() -> None:
    raw = system.mail("a@x").replace(
        b"From: ann@orchard.example", b"From: ann@orchard.example, bob@orchard.example"
    )

    assert reason(parse(raw)) == "not_verified"


@pytest.mark.parametrize("name", ["encrypted", "rich-text-only"])
def test_a_mail_without_readable_text_is_not_answered(name: str) -> None:
    raw = (MAILS / f"{name}.eml").read_bytes()
    sender = sample(name).sender or ""
    block = system.mail("-", sender=sender).split(b"From:")[0]

    assert reason(parse(block + raw)) == "unreadable_content"


def test_a_mail_with_a_program_is_not_answered() -> None:
    assert reason(parse(verified(with_files()))) == "blocked_attachment"


def test_a_mail_without_a_sender_is_not_answered() -> None:
    assert reason(parse(b"From: undisclosed\n\nHello.")) == "no_mail"


@pytest.mark.parametrize(
    "found",
    [
        mail(sender=MAILBOX),
        mail(sender="support+abc@shop.example"),
        mail(f"Reply-To: {MAILBOX}"),
        mail("Reply-To: support+0123-abc@shop.example"),
        mail(f"Reply-To: ann@orchard.example, {MAILBOX}"),
    ],
)
def test_a_mail_whose_answer_would_come_to_the_mailbox_itself_is_not_answered(
    found: ParsedMail,
) -> None:
    assert reason(found) == "own_address"


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ("", None),
        ("Reply-To: orders@orchard.example", "orders@orchard.example"),
        ("Reply-To: ann@mill.example", None),
        ("Reply-To: ann@sub.orchard.example", None),
        ("Reply-To: ann@mill.example, orders@orchard.example", "orders@orchard.example"),
    ],
)
def test_an_answer_goes_to_a_reply_address_of_the_same_domain_only(
    field: str, address: str | None
) -> None:
    assert reply_address(mail(field)) == address


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("ann@orchard.example", None),
        ("ann+orders@orchard.example", None),
        ("aaron@orchard.example", "other_reply_to"),
        ("office@orchard.example", "other_reply_to"),
    ],
)
def test_an_answer_to_another_address_than_the_senders_needs_a_person(
    address: str, refused: str | None
) -> None:
    assert reason(mail(f"Reply-To: {address}")) == refused


@pytest.mark.parametrize(
    ("field", "address"),
    [("ann+orders@gmail.com", "ann+orders@gmail.com"), ("bob@gmail.com", None)],
)
def test_at_a_public_provider_an_answer_goes_to_the_sender_only(
    field: str, address: str | None
) -> None:
    assert reply_address(mail(f"Reply-To: {field}", sender="ann@gmail.com")) == address


@each(
    "field, address",
    [
        ("", None),
        ("Reply-To: bob@mill.example", "bob@mill.example"),
        ("Reply-To: noreply@mill.example, bob@mill.example", "bob@mill.example"),
        (f"Reply-To: {MAILBOX}", None),
        ("Reply-To: ann+a@orchard.example, bob@mill.example", None),
        ("Reply-To: orders@orchard.example, bob@mill.example", None),
    ],
)
def test_people_may_answer_to_another_address_that_a_person_reads(
    field: str, address: str | None
) -> None:
    assert other_reply_address(mail(field), MAILBOX) == address


@each(
    "address, is_one",
    [
        ("support@shop.example", True),
        ("shop.support@orchard.example", True),
        ("no-reply@shop.example", True),
        ("ann@support.example", False),
        ("supporter@shop.example", False),
    ],
)
def test_a_service_is_known_by_the_name_of_its_address(address: str, is_one: bool) -> None:
    assert is_service(address) is is_one
