"""Order data are returned to the order's verified owner only."""

from __future__ import annotations

import pytest

from richpanel.guards.order_ownership import Reason
from tests.integration.richpanel.orders.conftest import (
    JANE,
    JOE,
    MESSAGE,
    PARCEL,
    Counter,
    linked,
    no_match,
)

# Identity


@pytest.mark.parametrize(
    "owner",
    [
        JOE,
        "janedoe@shop-mail.example",
        "jane.doe+x@shop-mail.example",
        "jane.doe@shop-mail.example.evil.example",
        "jane.d\u043ee@shop-mail.example",
        "\uff4aane.doe@shop-mail.example",
        "jane.doe@sh\u043ep-mail.example",
    ],
)
@pytest.mark.parametrize("way", ["number", "linked"])
def test_an_order_of_another_address_is_no_match(counter: Counter, owner: str, way: str) -> None:
    counter.has_order(email=owner)

    match = counter.asked("1001") if way == "number" else counter.asked(**linked())
    assert match == no_match(Reason.NOT_OWNER)


@pytest.mark.parametrize(
    "sender",
    [
        "jane.doe+shop@shop-mail.example",
        "janedoe@shop-mail.example",
        "j\u00e5ne.doe@shop-mail.example",
        "\u212ajane.doe@shop-mail.example",
    ],
)
def test_a_sender_address_that_only_resembles_the_owners_is_no_match(
    counter: Counter, sender: str
) -> None:
    counter.has_order()

    assert counter.asked("1001", sender=sender) == no_match(Reason.NOT_OWNER)


@pytest.mark.parametrize(
    "sender", [None, "", "jane.doe", f"Jane <{JANE}>", f"{JANE}, {JOE}", f"{JOE} {JANE}"]
)
def test_a_sender_field_that_is_not_one_address_is_no_match_and_nothing_is_looked_up(
    counter: Counter, sender: str | None
) -> None:
    counter.has_order()

    assert counter.asked("1001", sender=sender) == no_match(Reason.IDENTITY_UNPROVEN)
    assert counter.operations() == []


def test_outside_of_mail_the_sender_is_unproven(counter: Counter) -> None:
    counter.has_order()
    seed = {"channel": "messenger", "profile_email": JANE, **linked()}

    assert counter.asked("1001", is_email=False, **seed) == no_match(Reason.IDENTITY_UNPROVEN)
    assert counter.operations() == []


def test_an_address_or_a_phone_typed_into_the_text_proves_nothing(counter: Counter) -> None:
    counter.has_order()
    said = MESSAGE | {"body": f"My mail is {JANE}, my phone +1 555 0100, order 1001"}

    assert counter.asked("1001", sender=JOE, comments=[said]) == no_match(Reason.NOT_OWNER)
    assert counter.asked("1001", sender=None, comments=[said]).path is None


def test_a_copied_in_sender_does_not_get_the_order_of_the_tickets_requester(
    counter: Counter,
) -> None:
    counter.has_order()
    other = {"id": "m-2", "author_id": "customer-2", "created_at": "2026-03-02T12:30:00Z"}

    match = counter.asked("1001", comments=[MESSAGE, MESSAGE | other])
    assert match == no_match(Reason.IDENTITY_UNPROVEN)


def test_a_copied_in_sender_does_not_get_their_own_order_either(
    counter: Counter,
) -> None:
    """The reply would go to the requester of the ticket."""
    counter.has_order(email=JOE)
    own = MESSAGE | {"id": "m-2", "sender": JOE, "created_at": "2026-03-02T12:30:00Z"}

    assert counter.asked("1001", comments=[MESSAGE, own]) == no_match(Reason.IDENTITY_UNPROVEN)


# Secrets


def test_the_repr_of_a_match_contains_no_personal_data(counter: Counter) -> None:
    page = "https://shop.example/orders/x?key=k"
    counter.has_order("#88123477", parcels=[PARCEL], status_url=page)

    shown = repr(counter.asked("88123477")) + repr(counter.services)

    for secret in (JANE, "88123477", PARCEL["number"], "key=k", "a-token", "a-secret", "a-key"):
        assert secret not in shown
