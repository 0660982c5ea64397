"""What a mail says about further mail: STOP, START, and that its address is in use."""

from __future__ import annotations

import pytest

from email_threads.store.items import Mail
from shared.aws.dynamodb import Table
from shared.policy.consent import unreachable
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.unreachable import Unreachable
from shared.runtime import clock
from tests.integration.email_threads import desk
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    COMPANY,
    MAILBOX,
    System,
    mail,
)


def is_opted_out(system: System) -> bool:
    return bool(system.worker.resources.consents.standing(COMPANY, [ANN], "email").is_opted_out)


def log_of(system: System) -> Table:
    return Table(system.dynamodb, system.log)


def note_unreachable(system: System, at_ms: int) -> None:
    record = Unreachable(reason="bounce", at=clock.to_text(at_ms), evidence="action-1")
    unreachable.note(log_of(system), COMPANY, ANN, "email", record)


def is_unreachable(system: System) -> bool:
    return unreachable.of_address(log_of(system), COMPANY, ANN, "email") is not None


@pytest.mark.parametrize(
    "body",
    [
        "STOP",
        "Stop.",
        "Abmelden",
        "STOP\n\nOn Mon, 2 Nov 2026 at 12:00, Shop <desk@shop.example> wrote:\n> Our news\n",
        "STOP\n\n-- \nAnn\nOrchard Ltd.\n",
        "STOP\n\nSent from my iPhone\n",
        "Baja\n\nEnviado desde mi iPhone\n\n> El 2 nov 2026, Shop <desk@shop.example> escribi\u00f3:\n> Noticias\n",
        "Stopp\nVon meinem iPad gesendet\n\n--- Urspr\u00fcnglich ---\nVon: Shop\nDatum: 02.11.2026\n\nx\n",
    ],
)
def test_stop_as_the_whole_text_is_an_opt_out_and_is_not_analysed(
    system: System, body: str
) -> None:
    desk.receive(system, "a@x", body)

    assert is_opted_out(system)
    assert "ai_analysis" not in desk.thread(system)
    assert desk.asked(system) == 0


@pytest.mark.parametrize(
    "body",
    [
        "Please stop by tomorrow.",
        "Do not stop.",
        "Yes.\n\n> STOP\n",
        "STOP it",
        "> STOP\n",
        "On 2 Nov 2026, Ann wrote:\n> STOP",
    ],
)
def test_stop_within_a_text_is_no_opt_out(system: System, body: str) -> None:
    desk.receive(system, "a@x", body)

    assert not is_opted_out(system)
    assert desk.asked(system) == 1


NEWS = "Dear Ann,\n\nour chairs are ready since today.\n\nKind regards\nThe shop"
ATTRIBUTION = "On 2 November 2026, at 15:40, Shop <desk@shop.example> wrote:"
HEADERS = "From: Shop <desk@shop.example>\nSent: 2 November 2026 15:40\nTo: Ann\nSubject: Chairs"
COPY = f"{ATTRIBUTION}\n\n{NEWS}"


@pytest.mark.parametrize(
    ("body", "own", "is_heard"),
    [
        (f"{COPY}\n", "", False),
        (f"{COPY}\n\nSTOP\n\nSent from my iPhone\n", "STOP", True),
        (f"{COPY.replace('are ready', 'are\nready')}\n\nThey are broken.\n", "They are broken.", False),
        (f"{ATTRIBUTION}\n\nI never ordered it.\n", None, False),
        (f"{HEADERS}\n\n{NEWS}\n\nSTOP\n", "STOP", True),
    ],
)  # fmt: skip
def test_the_own_text_below_an_unmarked_copy_of_the_answered_mail_is_found(
    system: System, body: str, own: str | None, *, is_heard: bool
) -> None:
    desk.receive(system, "a@x", NEWS)
    desk.receive(system, "b@x", body, subject="Re: Chairs", in_reply_to="a@x")

    answer = next(Mail.read(one) for one in system.mails() if int(one["n"]) == 2)
    assert answer.new_text == (body.strip() if own is None else own)
    assert is_opted_out(system) is is_heard


def test_stop_of_a_sender_that_was_not_verified_is_left_to_people(system: System) -> None:
    desk.receive(system, "a@x", "STOP", is_checked=False)

    assert not is_opted_out(system)
    assert desk.asked(system) == 0


@pytest.mark.parametrize("word", ["STOP", "START"])
def test_a_word_is_that_of_its_authenticated_author_only(system: System, word: str) -> None:
    """Eve and Ann have the same public provider, whose DMARC proves its domain."""
    consents = system.worker.resources.consents
    eve, ann = "eve@gmail.com", "ann@gmail.com"
    said = Statement(source=Source.OPERATOR, at_ms=system.clock.ms, evidence="e", channel="email")
    if word == "START":
        consents.record_opt_out(COMPANY, [ann, eve], said)
    desk.receive(system, "a@x", word, sender=eve, more=f"Reply-To: {ann}\nSender: {ann}")

    wanted = {eve: word == "STOP", ann: word == "START"}
    found = {one: consents.standing(COMPANY, [one], "email").is_opted_out for one in wanted}
    assert found == wanted


@pytest.mark.parametrize(
    "sender",
    [
        "ann@orchard.example, eve@orchard.example",
        "ann@orchard.example <eve@orchard.example>",
        "<ann@orchard.example> <eve@orchard.example>",
        '"<ann@orchard.example>"@orchard.example',
        "ann@orchard.example; <eve@orchard.example>",
        "Friends: ann@orchard.example; <eve@orchard.example>",
        "ann@orchard.example\nFrom: eve@orchard.example",
    ],
)
def test_a_from_field_that_programs_read_differently_opts_nobody_out(
    system: System, sender: str
) -> None:
    raw = mail("a@x", "STOP", to=ASSISTED).replace(
        b"\nFrom: " + ANN.encode(), b"\nFrom: " + sender.encode()
    )
    system.deliver(raw, name="a", address=ASSISTED)
    system.drain()

    assert not is_opted_out(system)
    assert [one["trust"] for one in system.mails()] == ["unverified"]


@pytest.mark.parametrize(
    "more",
    ["Resent-From: eve@mill.example", "Resent-To: desk@shop.example", "Resent-Message-ID: <r@x>"],
)
def test_a_mail_that_was_sent_again_opts_nobody_out(system: System, more: str) -> None:
    desk.receive(system, "a@x", "STOP", more=more)

    assert not is_opted_out(system)


def test_a_signed_mail_to_another_company_that_was_sent_on_opts_nobody_out(system: System) -> None:
    raw = mail("a@x", "STOP", to="news@other.example")
    system.deliver(raw, name="a", address=ASSISTED)
    system.drain()

    assert not is_opted_out(system)


@pytest.mark.parametrize(
    "sender",
    ['"ann@orchard.example" <eve@mill.example>', "eve@mill.example (ann@orchard.example)",
     "=?utf-8?q?ann=40orchard.example=3E?= <eve@mill.example>", "ann+x@orchard.example"],
)  # fmt: skip
def test_a_display_name_or_a_label_is_not_the_author(system: System, sender: str) -> None:
    raw = mail("a@x", "STOP", to=ASSISTED, sender="eve@mill.example").replace(
        b"\nFrom: eve@mill.example", b"\nFrom: " + sender.encode()
    )
    system.deliver(raw, name="a", address=ASSISTED)
    system.drain()

    assert not is_opted_out(system)


def test_a_mail_that_claims_to_be_a_complaint_opts_nobody_out(system: System) -> None:
    desk.receive(system, "a@x")
    body = (
        "--r\nContent-Type: text/plain\n\nSpam.\n--r\nContent-Type: message/feedback-report\n\n"
        f"Feedback-Type: abuse\nOriginal-Rcpt-To: {ANN}\n\n"
        "--r\nContent-Type: text/rfc822-headers\n\nMessage-ID: <a@x>\n\n--r--\n"
    )
    report = 'Content-Type: multipart/report; report-type=feedback-report; boundary="r"'
    desk.receive(system, "b@x", body, sender="fbl@mill.example", more=report)

    assert not is_opted_out(system)


def test_stop_in_a_held_mail_is_not_believed(system: System) -> None:
    desk.receive(system, "a@x", "STOP", dmarc="fail")

    assert not is_opted_out(system)


def test_stop_to_a_mailbox_that_people_answer_is_an_opt_out(system: System) -> None:
    system.deliver(mail("a@x", "STOP"), name="a", address=MAILBOX)
    system.drain()

    assert is_opted_out(system)


def test_stop_to_ai_conversations_is_left_to_them(system: System) -> None:
    system.deliver(mail("a@x", "STOP", to=AUTOMATED), name="a", address=AUTOMATED)
    system.drain()

    assert not is_opted_out(system)
    assert [one["text"] for one in system.forwarded()] == ["STOP"]


def test_the_mail_of_a_colleague_says_nothing_about_consent(system: System) -> None:
    system.deliver(mail("a@x", "STOP", sender=MAILBOX, to=ANN), name="a", address=MAILBOX)
    system.drain()

    assert not is_opted_out(system)


def test_a_later_answer_of_a_person_is_refused(system: System) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "b@x", "STOP", in_reply_to="a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}/replies"
    assert system.call("POST", path, {"body_text": "Are you sure?"})[0] == 201
    composed = next(one for one in system.drafts() if one["origin"] == "key-1")

    assert desk.approve(system, composed)[0] == 202

    refused = next(one for one in system.drafts() if one["origin"] == "key-1")
    assert (refused["draft_status"], refused["reason"]) == ("failed", "opted_out")
    assert system.sent() == []


def test_a_draft_over_which_the_customer_wrote_stop_is_refused_as_out_of_date(
    system: System,
) -> None:
    desk.receive(system, "a@x")
    (draft,) = system.drafts()
    desk.receive(system, "b@x", "STOP", in_reply_to="a@x")

    status, body = desk.approve(system, draft)

    assert (status, body["error"]["code"]) == (409, "stale_draft")


def test_start_of_a_verified_sender_ends_the_opt_out(system: System) -> None:
    desk.receive(system, "a@x", "STOP")
    desk.receive(system, "b@x", "START", in_reply_to="a@x")

    assert not is_opted_out(system)
    assert desk.asked(system) == 0


def test_start_of_another_sender_changes_nothing(system: System) -> None:
    desk.receive(system, "a@x", "STOP")
    desk.receive(system, "b@x", "START", in_reply_to="a@x", is_checked=False)

    assert is_opted_out(system)


def test_a_mail_that_is_delivered_again_after_start_does_not_opt_out_again(system: System) -> None:
    desk.receive(system, "a@x", "STOP")
    desk.receive(system, "b@x", "START", in_reply_to="a@x")
    system.notify("raw/desk@shop.example/a@x")
    system.drain()

    assert not is_opted_out(system)


@pytest.mark.parametrize("body", ["Help", "Info"])
def test_a_mail_that_asks_for_help_is_analysed(system: System, body: str) -> None:
    desk.receive(system, "a@x", body)

    assert desk.asked(system) == 1
    assert not is_opted_out(system)


def test_a_verified_mail_shows_that_its_address_is_in_use(system: System) -> None:
    note_unreachable(system, system.clock.ms)
    desk.receive(system, "a@x")

    assert not is_unreachable(system)


def test_a_mail_that_may_be_forged_does_not_show_it(system: System) -> None:
    note_unreachable(system, system.clock.ms)
    desk.receive(system, "a@x", is_checked=False)

    assert is_unreachable(system)


def test_a_later_bounce_stays(system: System) -> None:
    note_unreachable(system, system.clock.ms + 60_000)
    desk.receive(system, "a@x")

    assert is_unreachable(system)
