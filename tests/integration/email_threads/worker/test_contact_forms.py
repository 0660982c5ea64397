"""Mail of contact forms: From is our own mailbox, Reply-To the customer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import thread_of
from tests.integration.email_threads.drafting import composed, shown
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


def form(message_id: str = "form@x", reply_to: str = ANN, *, cc: str = "", **more: Any) -> bytes:
    """A mail of a contact form; *more* as in `mail`."""
    fields = f"Reply-To: {reply_to}" + (f"\nCc: {cc}" if cc else "")
    return mail(message_id, "Is it red?", sender=MAILBOX, more=fields, **more)


@pytest.mark.parametrize("is_checked", [True, False])
@pytest.mark.parametrize("cc", ["", ANN])
def test_it_is_the_request_of_the_customer_and_not_our_answer(
    system: System, is_checked: bool, cc: str
) -> None:
    path = thread_of(system, form(cc=cc, is_checked=is_checked))

    (stored,) = system.mails()
    assert (stored["direction"], stored["from"], stored["kind"]) == ("inbound", ANN, "mail")
    assert stored["trust"] == "unverified"
    assert stored["automatic_refusal"] == "not_verified"
    assert shown(system, composed(system, path))["to"] == [ANN]


def test_the_customer_of_a_form_has_the_name_beside_their_own_address(system: System) -> None:
    thread_of(system, form(reply_to=f"The Shop <zoe@shop.example>, Ann Byrne <{ANN}>"))

    (stored,) = system.mails()
    assert (stored["from"], stored["sender_name"]) == (ANN, "Ann Byrne")


@pytest.mark.parametrize(
    ("reply_to", "to"),
    [
        (MAILBOX, ANN),  # a colleague's answer
        ("zoe@shop.example", MAILBOX),  # a colleague
        (BOB, ANN),  # goes to a person outside who is not the Reply-To
    ],
)
def test_a_colleagues_mail_stays_ours(system: System, reply_to: str, to: str) -> None:
    thread_of(system, form(reply_to=reply_to, to=to))

    (stored,) = system.mails()
    assert stored["direction"] == "outbound"


def test_a_forged_form_stays_held(system: System) -> None:
    thread_of(system, form(dmarc="fail"))

    (stored,) = system.mails()
    assert stored["kind"] == "held"


def test_two_forms_of_two_customers_are_two_threads(system: System) -> None:
    thread_of(system, form())
    thread_of(system, form("form2@x", BOB))

    assert {one["participant"] for one in system.threads()} == {ANN, BOB}
