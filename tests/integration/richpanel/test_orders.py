"""The order gate: who is told about which order, and everybody who is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from local.sandbox import Sandbox
from local.sandbox.help_desk import TicketSeed
from local.sandbox.shop import OrderSeed, ShipmentSeed
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.shipstation import ShipStation
from richpanel.clients.shopify import Shopify
from richpanel.decisions.situation import MatchPath
from richpanel.limiter import Throttled
from richpanel.order_records import Order
from richpanel.orders import OrderMatch, Reason, Services, find_order
from tests.integration.richpanel.conftest import Time

JANE = "jane.doe@shop-mail.example"
JOE = "joe@shop-mail.example"
PARCEL = {"number": "9400111899223100000000", "company": "USPS", "url": "https://tools.usps.com/x"}
MESSAGE = {"id": "m-1", "body": "Where is my order?", "created_at": "2026-03-02T12:00:00Z"}


@dataclass
class Counter:
    """A customer's mail, what stands in the shop, and the gate between them."""

    sandbox: Sandbox
    services: Services

    def has_order(self, number: str = "#1001", order_id: str = "6001", **change: Any) -> None:
        facts: dict[str, Any] = {
            "id": order_id,
            "name": number,
            "email": JANE,
            "created_at": "2026-03-01T09:00:00Z",
            "shipping_method": "Standard",
        }
        self.sandbox.shop.orders[order_id] = OrderSeed.model_validate(facts | change)

    def has_shipment(self, **facts: Any) -> None:
        given = {"order_number": "1001", "tracking_number": "9405"} | facts
        self.sandbox.shop.shipments.append(ShipmentSeed.model_validate(given))

    def asked(self, *numbers: str, is_email: bool = True, **ticket: Any) -> OrderMatch:
        seed = {"id": "t-1", "sender": JANE, "comments": [MESSAGE]} | ticket
        self.sandbox.desk.seed(TicketSeed.model_validate(seed), "2026-03-02T12:00:00Z")
        read = self.services.desk.ticket(seed["id"])
        assert read is not None
        return find_order(self.services, read, read.in_order[-1], numbers, is_email=is_email)

    def operations(self) -> list[str]:
        """What was asked, without the reading of the ticket."""
        return [sent.operation for sent in self.sandbox.sent][1:]


@pytest.fixture
def counter(
    sandbox: Sandbox, desk: HelpDesk, shop: Shopify, shipping: ShipStation, time: Time
) -> Counter:
    return Counter(sandbox, Services(desk, shop, shipping))


def linked(order_id: str = "6001") -> dict[str, Any]:
    return {"order": {"order_id": order_id, "app_client_id": "shop-1"}}


def no_match(reason: Reason) -> OrderMatch:
    return OrderMatch(None, None, reason)


# Matches


def test_an_order_of_exactly_the_named_number_and_the_senders_address_is_a_match(
    counter: Counter,
) -> None:
    counter.has_order(parcels=[PARCEL], status_url="https://shop.example/orders/x")

    match = counter.asked("1001")

    assert match == OrderMatch(
        MatchPath.NUMBER,
        Order(
            order_id="6001",
            number="1001",
            created_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
            status="not shipped yet",
            fulfillment_status="not shipped yet",
            shipping_method="Standard",
            tracking_number="9400111899223100000000",
            tracking_company="USPS",
            tracking_url="https://tools.usps.com/x",
            status_url="https://shop.example/orders/x",
        ),
        None,
    )
    assert counter.operations() == ["get_order", "query"]


@pytest.mark.parametrize("spelling", ["1001", "#1001", " # 1001 ", "10 01"])
def test_spaces_and_the_hash_of_a_number_do_not_count(counter: Counter, spelling: str) -> None:
    counter.has_order()

    assert counter.asked(spelling).path is MatchPath.NUMBER


def test_letter_case_of_a_number_does_not_count(counter: Counter) -> None:
    counter.has_order("EN-1001")

    assert counter.asked("en-1001").path is MatchPath.NUMBER


def test_two_spellings_of_one_number_are_one(counter: Counter) -> None:
    counter.has_order()

    assert counter.asked("1001", "#1001").path is MatchPath.NUMBER


def test_letter_case_of_an_address_does_not_count(counter: Counter) -> None:
    counter.has_order(email="JANE.Doe@Shop-Mail.example")

    assert counter.asked("1001", sender="Jane.doe@shop-mail.EXAMPLE").path is MatchPath.NUMBER


def test_the_order_beside_the_ticket_is_a_match_where_its_owner_is_the_sender(
    counter: Counter,
) -> None:
    counter.has_order(parcels=[PARCEL])

    match = counter.asked(**linked())

    assert match.path is MatchPath.LINKED
    assert match.order is not None
    assert (match.order.order_id, match.order.number) == ("6001", "1001")
    assert counter.operations() == ["get_order", "get_order"]  # the shop is not needed


def test_a_linked_order_may_be_named_too(counter: Counter) -> None:
    counter.has_order(parcels=[PARCEL])

    assert counter.asked("#1001", **linked()).path is MatchPath.LINKED


@pytest.mark.parametrize(
    "copy", [{"name", "created_at", "shipping_lines"}, {"name", "email"}, {"email", "created_at"}, set()]
)  # fmt: skip
def test_a_linked_order_of_which_the_help_desk_knows_too_little_is_read_at_the_shop(
    counter: Counter, copy: set[str]
) -> None:
    counter.has_order(in_desk_copy=copy, parcels=[PARCEL])

    match = counter.asked(**linked())

    assert match.path is MatchPath.LINKED
    assert match.order is not None
    assert match.order.tracking_company == "USPS"
    assert counter.operations() == ["get_order", "get_order", "query"]


def test_a_link_by_number_is_found_by_number(counter: Counter) -> None:
    """Not documented: whether some shops' links hold the number that customers know."""
    counter.has_order()

    assert counter.asked(**linked("1001")).path is MatchPath.LINKED


def test_the_parcel_that_only_the_shipping_service_knows_is_added(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(customer_email="Jane.Doe@shop-mail.example", tracking_number="9405")

    order = counter.asked("1001").order

    assert order is not None
    assert (order.tracking_number, order.tracking_company) == ("9405", "USPS")


def test_an_order_without_any_parcel_is_still_a_match(counter: Counter) -> None:
    counter.has_order()

    order = counter.asked("1001").order
    assert order is not None
    assert not order.is_tracked


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
def test_nobody_is_told_about_an_order_of_another_address(
    counter: Counter, owner: str, way: str
) -> None:
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
def test_a_sender_who_only_looks_like_the_owner_is_not(counter: Counter, sender: str) -> None:
    counter.has_order()

    assert counter.asked("1001", sender=sender) == no_match(Reason.NOT_OWNER)


@pytest.mark.parametrize(
    "sender", [None, "", "jane.doe", f"Jane <{JANE}>", f"{JANE}, {JOE}", f"{JOE} {JANE}"]
)
def test_a_sender_who_is_not_one_address_asks_in_vain_and_nothing_is_looked_up(
    counter: Counter, sender: str | None
) -> None:
    counter.has_order()

    assert counter.asked("1001", sender=sender) == no_match(Reason.IDENTITY_UNPROVEN)
    assert counter.operations() == []


def test_outside_of_mail_nothing_proves_who_writes(counter: Counter) -> None:
    counter.has_order()
    seed = {"channel": "messenger", "profile_email": JANE, **linked()}

    assert counter.asked("1001", is_email=False, **seed) == no_match(Reason.IDENTITY_UNPROVEN)
    assert counter.operations() == []


def test_an_address_or_a_phone_typed_into_the_text_proves_nothing(counter: Counter) -> None:
    counter.has_order()
    said = MESSAGE | {"body": f"My mail is {JANE}, my phone +1 555 0100, order 1001"}

    assert counter.asked("1001", sender=JOE, comments=[said]) == no_match(Reason.NOT_OWNER)
    assert counter.asked("1001", sender=None, comments=[said]).path is None


def test_somebody_who_was_copied_in_is_not_told_about_the_openers_order(counter: Counter) -> None:
    counter.has_order()
    other = {"id": "m-2", "author_id": "customer-2", "created_at": "2026-03-02T12:30:00Z"}

    match = counter.asked("1001", comments=[MESSAGE, MESSAGE | other])
    assert match == no_match(Reason.IDENTITY_UNPROVEN)


def test_somebody_who_was_copied_in_is_not_told_about_their_own_order_either(
    counter: Counter,
) -> None:
    """The reply would go to the one who opened the ticket."""
    counter.has_order(email=JOE)
    own = MESSAGE | {"id": "m-2", "sender": JOE, "created_at": "2026-03-02T12:30:00Z"}

    assert counter.asked("1001", comments=[MESSAGE, own]) == no_match(Reason.IDENTITY_UNPROVEN)


# Numbers


def test_no_number_and_no_link_is_no_match(counter: Counter) -> None:
    counter.has_order()

    assert counter.asked() == no_match(Reason.NO_NUMBER)
    assert counter.operations() == ["get_order"]  # no search by address


def test_two_numbers_are_ambiguous_and_nothing_is_looked_up(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("#1002", "6002")

    assert counter.asked("1001", "1002") == no_match(Reason.SEVERAL_NUMBERS)
    assert counter.asked("1001", "1002", **linked()) == no_match(Reason.SEVERAL_NUMBERS)


def test_the_neighbours_that_a_search_brings_are_nobodys_order(counter: Counter) -> None:
    counter.has_order("#10010", "6002")
    counter.has_order("#21001", "6003")
    counter.has_order("#1001-2", "6004")

    assert counter.asked("1001") == no_match(Reason.NOT_FOUND)


def test_the_right_one_is_found_among_its_neighbours(counter: Counter) -> None:
    counter.has_order("#1001", parcels=[PARCEL])
    counter.has_order("#10010", "6002", email=JANE)
    counter.has_order("#21001", "6003", email=JANE)

    order = counter.asked("1001").order
    assert order is not None
    assert order.order_id == "6001"


def test_a_neighbour_of_the_senders_is_not_told_in_place_of_anothers_order(
    counter: Counter,
) -> None:
    counter.has_order("#1001", email=JOE)
    counter.has_order("#10010", "6002", email=JANE)

    assert counter.asked("1001") == no_match(Reason.NOT_OWNER)


def test_two_orders_of_one_number_are_no_match(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("1001", "6002")

    assert counter.asked("1001") == no_match(Reason.SEVERAL_ORDERS)


@pytest.mark.parametrize(
    "number",
    [
        '1001" OR email:"*', "*", "", "name:1001", "1001 OR 1002", "1" * 50, "\uff11\uff10\uff10\uff11", "\u0661001",
        "1001\u200b", "1001/../1", JANE, "+1 555 0100 200",
    ],
)  # fmt: skip
def test_what_is_no_order_number_finds_nothing_and_is_not_searched_for(
    counter: Counter, number: str
) -> None:
    counter.has_order()
    counter.has_order("#1002", "6002")

    assert counter.asked(number) == no_match(Reason.NOT_FOUND)
    assert counter.operations() == ["get_order"]


def test_another_customers_number_and_no_number_of_anybody_look_the_same(counter: Counter) -> None:
    counter.has_order("#1001", email=JOE)
    theirs = counter.asked("1001")
    asked_for_theirs = counter.operations()
    counter.sandbox.forget_sent()
    nobodys = counter.asked("9999")

    assert (theirs.path, theirs.order, theirs.is_failed) == (None, None, False)
    assert (nobodys.path, nobodys.order, nobodys.is_failed) == (None, None, False)
    assert counter.operations() == asked_for_theirs
    assert (theirs.reason, nobodys.reason) == (Reason.NOT_OWNER, Reason.NOT_FOUND)  # for the audit


@pytest.mark.parametrize("email", [None, ""])
def test_an_order_without_an_owner_is_nobodys(counter: Counter, email: str | None) -> None:
    counter.has_order(email=email)

    assert counter.asked("1001") == no_match(Reason.OWNER_UNKNOWN)


# Links


def test_a_linked_order_of_somebody_else_is_not_told_even_if_they_name_their_own(
    counter: Counter,
) -> None:
    counter.has_order("#1001", email=JOE)
    counter.has_order("#1002", "6002", email=JANE)

    assert counter.asked("1002", **linked("6001")) == no_match(Reason.NOT_OWNER)


def test_a_linked_order_and_another_that_is_named_are_no_match(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("#1002", "6002")

    assert counter.asked("1002", **linked()) == no_match(Reason.LINKED_AND_NAMED_DIFFER)


def test_an_order_id_that_is_the_tickets_is_no_order(counter: Counter) -> None:
    counter.has_order(order_id="7001")

    match = counter.asked("1001", id="7001", order={"order_id": "7001"})
    assert match == no_match(Reason.LINK_IS_TICKET)


def test_a_link_to_nothing_is_no_match(counter: Counter) -> None:
    assert counter.asked(**linked()) == no_match(Reason.NOT_FOUND)


def test_a_copy_and_a_shop_that_mean_two_orders_are_no_match(counter: Counter) -> None:
    counter.has_order(in_desk_copy={"name", "created_at", "shipping_lines"})
    whole = counter.sandbox.shop.orders["6001"]
    counter.sandbox.shop.orders["6001"] = _Renamed.model_validate(whole.model_dump())

    assert counter.asked(**linked()) == no_match(Reason.SEVERAL_ORDERS)


class _Renamed(OrderSeed):
    """The help desk's copy has another number than the shop."""

    def desk_copy(self) -> dict[str, Any]:
        return super().desk_copy() | {"name": "#2002"}


class _TwoOwners(OrderSeed):
    """The help desk's copy names two owners."""

    def desk_copy(self) -> dict[str, Any]:
        return super().desk_copy() | {"customer": {"email": JOE}}


@pytest.mark.parametrize("trust", [False, True])
def test_a_copy_that_names_two_owners_is_nobodys(counter: Counter, trust: bool) -> None:
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


def test_trust_in_links_makes_nobody_the_owner_of_anothers_order(counter: Counter) -> None:
    counter.services = replace(counter.services, trust_linked_order=True)
    counter.has_order(email=JOE, in_desk_copy={"name", "created_at", "shipping_lines"})
    assert counter.asked(**linked()) == no_match(Reason.NOT_OWNER)

    counter.has_order(email="not an address")
    assert counter.asked(**linked()) == no_match(Reason.NOT_OWNER)


def test_trust_in_links_is_for_mail_alone(counter: Counter) -> None:
    counter.services = replace(counter.services, trust_linked_order=True)
    counter.has_order(email=None)

    match = counter.asked(channel="messenger", is_email=False, **linked())
    assert match == no_match(Reason.IDENTITY_UNPROVEN)


# Lookups that fail


@pytest.mark.parametrize(
    ("provider", "fault"),
    [
        ("richpanel", {"kind": "status", "status": 500, "times": 2}),
        ("richpanel", {"kind": "status", "status": 403, "times": 2}),
        ("richpanel", {"kind": "html"}),
        ("richpanel", {"kind": "reset", "times": 2}),
        ("shopify", {"kind": "status", "status": 500, "times": 2}),
        ("shopify", {"kind": "status", "status": 429, "times": 2}),
        ("shopify", {"kind": "status", "status": 401, "times": 2}),
        ("shopify", {"kind": "html"}),
        ("shopify", {"kind": "empty"}),
        ("shipstation", {"kind": "status", "status": 500, "times": 2}),
        ("shipstation", {"kind": "status", "status": 401, "times": 2}),
        ("shipstation", {"kind": "empty"}),
    ],
)
def test_a_lookup_that_fails_is_told_apart_and_says_nothing(
    counter: Counter, provider: str, fault: dict[str, Any]
) -> None:
    counter.has_order()
    operation = {"richpanel": "get_order", "shopify": "query", "shipstation": "list_shipments"}
    counter.sandbox.faults.add(provider=provider, operation=operation[provider], **fault)

    match = counter.asked("1001")

    assert match == no_match(Reason.LOOKUP_FAILED)
    assert match.is_failed
    assert counter.sandbox.faults.pending() == []


@pytest.mark.parametrize("provider", ["shopify", "shipstation"])
def test_a_throttled_service_is_asked_again_once(counter: Counter, provider: str) -> None:
    counter.has_order()
    counter.sandbox.faults.add(kind="status", status=429, provider=provider)

    assert counter.asked("1001").path is MatchPath.NUMBER


def test_our_own_limit_sends_the_event_back(counter: Counter) -> None:
    counter.has_order()
    seed = TicketSeed.model_validate({"id": "t-1", "sender": JANE, "comments": [MESSAGE]})
    counter.sandbox.desk.seed(seed, "2026-03-02T12:00:00Z")
    ticket = counter.services.desk.ticket("t-1")
    assert ticket is not None
    counter.services.desk.limiter.close("100")

    with pytest.raises(Throttled):
        find_order(counter.services, ticket, ticket.comments[0], ["1001"], is_email=True)


def test_without_a_shop_a_number_finds_nothing_and_a_link_may(counter: Counter) -> None:
    counter.services = replace(counter.services, shop=None, shipping=None)
    counter.has_order()

    assert counter.asked("1001") == no_match(Reason.NOT_FOUND)
    assert counter.asked(**linked()).path is MatchPath.LINKED


def test_without_a_shop_a_copy_without_its_date_is_a_failed_lookup(counter: Counter) -> None:
    counter.services = replace(counter.services, shop=None, shipping=None)
    counter.has_order(in_desk_copy={"name", "email"})

    assert counter.asked(**linked()) == no_match(Reason.LOOKUP_FAILED)


# Facts


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fulfillment_status": "FULFILLED"}, ("shipped", False, False)),
        ({"fulfillment_status": "PARTIALLY_FULFILLED"}, ("partly shipped", False, False)),
        ({"fulfillment_status": "SOMETHING_NEW"}, ("in progress", False, False)),
        ({"cancelled_at": "2026-03-02T10:00:00Z"}, ("cancelled", True, False)),
        ({"financial_status": "REFUNDED"}, ("refunded", False, True)),
        ({"financial_status": "PARTIALLY_REFUNDED"}, ("partly refunded", False, True)),
    ],
)
@pytest.mark.parametrize("way", ["number", "linked"])
def test_states_are_told_in_words(
    counter: Counter, change: dict[str, Any], told: tuple[str, bool, bool], way: str
) -> None:
    counter.has_order(**change)

    order = (counter.asked("1001") if way == "number" else counter.asked(**linked())).order

    assert order is not None
    assert (order.status, order.is_cancelled, order.is_refunded) == told


@pytest.mark.parametrize("tag", ["Pre-Order", "preorder", "PRE ORDER"])
@pytest.mark.parametrize("way", ["number", "linked"])
def test_a_pre_order_is_known_by_its_tag(counter: Counter, tag: str, way: str) -> None:
    counter.has_order(tags=["vip", tag])

    order = (counter.asked("1001") if way == "number" else counter.asked(**linked())).order
    assert order is not None
    assert order.is_preorder


def test_the_newest_parcel_that_was_really_sent_counts(counter: Counter) -> None:
    parcels = [
        {"number": "A", "company": "UPS", "created_at": "2026-03-01T10:00:00Z"},
        {"number": "B", "company": "UPS", "created_at": "2026-03-02T10:00:00Z"},
        {"number": "C", "company": "UPS", "created_at": "2026-03-03T10:00:00Z", "status": "CANCELLED"},
    ]  # fmt: skip
    counter.has_order(parcels=parcels)

    for match in (counter.asked("1001"), counter.asked(**linked())):
        assert match.order is not None
        assert match.order.tracking_number == "B"


# The shipping service


@pytest.mark.parametrize(
    "shipment",
    [
        {"order_number": "10012"},
        {"voided": True},
        {"is_return_label": True},
        {"customer_email": JOE},
    ],
    ids=["neighbour", "voided", "return", "another customer"],
)
def test_a_parcel_that_is_not_this_orders_is_not_added(
    counter: Counter, shipment: dict[str, Any]
) -> None:
    counter.has_order()
    counter.has_shipment(**shipment)

    order = counter.asked("1001").order
    assert order is not None
    assert order.tracking_number is None


def test_parcels_of_two_shops_with_one_number_are_not_guessed_between(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(order_id=1, tracking_number="9405")
    counter.has_shipment(order_id=2, tracking_number="9406")

    assert counter.asked("1001") == no_match(Reason.LOOKUP_FAILED)


def test_parcels_of_two_shops_are_told_apart_by_their_customers(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(order_id=1, tracking_number="9405", customer_email=JANE)
    theirs = {"tracking_number": "9406", "create_date": "2026-03-09T10:00:00"}
    counter.has_shipment(order_id=2, customer_email=JOE, **theirs)

    order = counter.asked("1001").order
    assert order is not None
    assert order.tracking_number == "9405"


def test_the_newest_of_the_orders_own_parcels_is_added(counter: Counter) -> None:
    counter.has_order()
    newest = {"create_date": "2026-03-04T10:00:00.0000000", "carrier_code": "ups"}
    counter.has_shipment(tracking_number="9406", **newest)
    counter.has_shipment(tracking_number="9405", create_date="2026-03-03T10:00:00.0000000")

    order = counter.asked("1001").order
    assert order is not None
    assert (order.tracking_number, order.tracking_company) == ("9406", "UPS")


def test_a_cancelled_or_tracked_order_needs_no_shipping_service(counter: Counter) -> None:
    counter.has_order(parcels=[PARCEL])
    counter.asked("1001")
    assert "list_shipments" not in counter.operations()

    counter.has_order(cancelled_at="2026-03-02T10:00:00Z")
    counter.asked("1001")
    assert "list_shipments" not in counter.operations()


# Secrets


def test_nothing_personal_is_in_what_a_match_prints(counter: Counter) -> None:
    page = "https://shop.example/orders/x?key=k"
    counter.has_order("#88123477", parcels=[PARCEL], status_url=page)

    shown = repr(counter.asked("88123477")) + repr(counter.services)

    for secret in (JANE, "88123477", PARCEL["number"], "key=k", "a-token", "a-secret", "a-key"):
        assert secret not in shown
