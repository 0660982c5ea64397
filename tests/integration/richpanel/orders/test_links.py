"""The order that the help desk links to a ticket: conditions for using it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.sandbox.accounts.shop import OrderSeed
from richpanel.decisions.facts import MatchPath
from richpanel.guards.order_ownership import Reason
from tests.integration.richpanel.orders.conftest import JANE, JOE, Counter, linked, no_match


def test_a_linked_order_of_another_customer_is_no_match_even_if_the_sender_names_their_own(
    counter: Counter,
) -> None:
    counter.has_order("#1001", email=JOE)
    counter.has_order("#1002", "6002", email=JANE)

    assert counter.asked("1002", **linked("6001")) == no_match(Reason.NOT_OWNER)


def test_a_linked_order_and_a_different_named_order_are_no_match(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("#1002", "6002")

    assert counter.asked("1002", **linked()) == no_match(Reason.LINKED_AND_NAMED_DIFFER)


def test_an_order_id_equal_to_the_ticket_id_is_no_order(counter: Counter) -> None:
    counter.has_order(order_id="7001")

    match = counter.asked("1001", id="7001", order={"order_id": "7001"})
    assert match == no_match(Reason.LINK_IS_TICKET)


def test_a_link_to_a_missing_order_is_no_match(counter: Counter) -> None:
    assert counter.asked(**linked()) == no_match(Reason.NOT_FOUND)


def test_a_help_desk_copy_and_a_shop_order_that_differ_are_no_match(counter: Counter) -> None:
    counter.has_order(in_desk_copy={"name", "created_at", "shipping_lines"})
    whole = counter.sandbox.shop.orders["6001"]
    counter.sandbox.shop.orders["6001"] = _Renamed.model_validate(whole.model_dump())

    assert counter.asked(**linked()) == no_match(Reason.SEVERAL_ORDERS)


class _Renamed(OrderSeed):
    """The help desk's copy has another number than the shop."""

    def help_desk_copy(self) -> dict[str, Any]:
        return super().help_desk_copy() | {"name": "#2002"}


class _TwoOwners(OrderSeed):
    """The help desk's copy names two owners."""

    def help_desk_copy(self) -> dict[str, Any]:
        return super().help_desk_copy() | {"customer": {"email": JOE}}


@pytest.mark.parametrize("trust", [False, True])
def test_a_copy_that_names_two_owners_is_no_match(counter: Counter, trust: bool) -> None:
    counter.has_order()
    whole = counter.sandbox.shop.orders["6001"]
    counter.sandbox.shop.orders["6001"] = _TwoOwners.model_validate(whole.model_dump())
    counter.services = replace(counter.services, trust_linked_order=trust)

    assert counter.asked(**linked()) == no_match(Reason.NOT_OWNER)


def test_a_link_without_any_owner_counts_only_where_links_are_trusted(counter: Counter) -> None:
    counter.has_order(email=None)
    assert counter.asked(**linked()) == no_match(Reason.OWNER_UNKNOWN)

    counter.services = replace(counter.services, trust_linked_order=True)
    assert counter.asked(**linked()).path is MatchPath.LINKED
    assert counter.asked("1001") == no_match(Reason.OWNER_UNKNOWN)  # not a number


def test_trust_in_links_does_not_override_another_owner(counter: Counter) -> None:
    counter.services = replace(counter.services, trust_linked_order=True)
    counter.has_order(email=JOE, in_desk_copy={"name", "created_at", "shipping_lines"})
    assert counter.asked(**linked()) == no_match(Reason.NOT_OWNER)

    counter.has_order(email="not an address")
    assert counter.asked(**linked()) == no_match(Reason.NOT_OWNER)


def test_trust_in_links_applies_to_mail_only(counter: Counter) -> None:
    counter.services = replace(counter.services, trust_linked_order=True)
    counter.has_order(email=None)

    match = counter.asked(channel="messenger", is_email=False, **linked())
    assert match == no_match(Reason.IDENTITY_UNPROVEN)
