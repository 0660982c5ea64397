"""
The order gate: no fact of an order goes to somebody whose identity does not match its owner's.

    linked   the help desk shows one order beside the ticket, and its owner's address is the sender's
    number   the turn names one number, the shop has one order of exactly this number, and its owner's address is
             the sender's

Everything else is no match, and the reason is for the audit alone: "there is none" and "it is not yours" look the same
from outside, or anybody could try out which numbers exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from richpanel.decisions.facts import MatchPath
from richpanel.guards.identity import sender_of
from richpanel.guards.order_records import Ambiguous, normal_number, of_desk, of_shop, with_parcel
from richpanel.store.rate_limit import Throttled
from shared.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Collection

    from richpanel.clients.helpdesk import HelpDesk
    from richpanel.clients.shipstation import ShipStation
    from richpanel.clients.shopify import Shopify
    from richpanel.clients.tickets import Comment, OrderLink, Ticket
    from richpanel.guards.order_records import Order, Record


class Reason(StrEnum):
    """Why there is no match."""

    IDENTITY_UNPROVEN = "identity_unproven"  # no mail, or nobody can say who wrote it
    NO_NUMBER = "no_number"
    SEVERAL_NUMBERS = "several_numbers"
    NOT_FOUND = "not_found"
    SEVERAL_ORDERS = "several_orders"
    OWNER_UNKNOWN = "owner_unknown"
    NOT_OWNER = "not_owner"
    LINKED_AND_NAMED_DIFFER = "linked_and_named_differ"
    LINK_IS_TICKET = "link_is_ticket"  # the order's id is the ticket's: no order at all
    LOOKUP_FAILED = "lookup_failed"  # a service failed, or left out what no answer can do without


@dataclass(frozen=True, slots=True)
class Services:
    """Who is asked about orders. *trust_linked_order*: a link is enough where no owner is known at all."""

    desk: HelpDesk
    shop: Shopify | None = None
    shipping: ShipStation | None = None
    trust_linked_order: bool = False


@dataclass(frozen=True, slots=True)
class OrderMatch:
    """An order that is proved to be the sender's, and how; or neither, and the reason."""

    path: MatchPath | None = None
    order: Order | None = None
    reason: Reason | None = None

    @property
    def is_failed(self) -> bool:
        """Whether there may be an order, and only the lookup failed: then nobody is asked for a number."""
        return self.reason is Reason.LOOKUP_FAILED


class _NoMatch(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def find_order(
    services: Services,
    ticket: Ticket,
    target: Comment,
    numbers: Collection[str],
    *,
    is_email: bool,
) -> OrderMatch:
    """
    The order that *target*, a customer's comment of *ticket*, may be told about.

    *numbers*: the order numbers that the turn names, in any spelling. *is_email*: whether it came by e-mail; nothing
    proves who writes elsewhere. Raises Throttled when the help desk's limit leaves no room; every other failure of a
    service is a reason.
    """
    try:
        sender = sender_of(ticket, target) if is_email else None
        return _find(services, ticket, sender, {_spelled(number) for number in numbers})
    except _NoMatch as none:
        return OrderMatch(reason=none.reason)
    except Throttled:
        raise
    except (Transient, Permanent, Ambiguous):
        return OrderMatch(reason=Reason.LOOKUP_FAILED)


def _spelled(number: str) -> str:
    """The normal form; of what is no number itself, which is the number of no order."""
    return normal_number(number) or number


def _find(services: Services, ticket: Ticket, sender: str | None, named: set[str]) -> OrderMatch:
    if sender is None:
        raise _NoMatch(Reason.IDENTITY_UNPROVEN)
    if len(named) > 1:
        raise _NoMatch(Reason.SEVERAL_NUMBERS)
    link = services.desk.linked_order(ticket.id)
    if link is not None:
        record = _linked(services, ticket, link, sender)
        if named and named != {record.number}:
            raise _NoMatch(Reason.LINKED_AND_NAMED_DIFFER)
        return OrderMatch(MatchPath.LINKED, _complete(services, record))
    if not named:
        raise _NoMatch(Reason.NO_NUMBER)
    record = _numbered(services, named.pop())
    _check_owner(record, sender)
    return OrderMatch(MatchPath.NUMBER, _complete(services, record))


def _linked(services: Services, ticket: Ticket, link: OrderLink, sender: str) -> Record:
    """The record of the order beside the ticket, which is the sender's. Raises _NoMatch."""
    order_id = link.order_id or ""
    if order_id == ticket.id:
        raise _NoMatch(Reason.LINK_IS_TICKET)
    copy = services.desk.order(link)
    record = of_desk(copy, order_id) if copy else None
    if record and record.owners:
        _check_owner(record, sender)
    if record is None or not record.owners or record.order is None:
        at_shop = _at_shop(services, order_id)
        if record and record.number and at_shop and at_shop.number != record.number:
            # Two orders under one id: whichever is meant, it is not certain.
            raise _NoMatch(Reason.SEVERAL_ORDERS)
        record = at_shop or record
    if record is None:
        raise _NoMatch(Reason.NOT_FOUND)
    if not record.owners and services.trust_linked_order:
        return record
    _check_owner(record, sender)
    return record


def _at_shop(services: Services, order_id: str) -> Record | None:
    """
    The shop's record of a linked order. The link's id is taken as the shop's internal one; whether some shops have
    the number that customers know there is not documented (check), so this is tried next.
    """
    if services.shop is None:
        return None
    found = services.shop.order(order_id)
    if found is not None:
        return of_shop(found)
    number = normal_number(order_id)
    return _exact(services.shop, number) if number else None


def _numbered(services: Services, number: str) -> Record:
    """The record of the one order of this number. Raises _NoMatch."""
    record = None
    if services.shop is not None and normal_number(number):
        record = _exact(services.shop, number)
    if record is None:
        raise _NoMatch(Reason.NOT_FOUND)
    return record


def _exact(shop: Shopify, number: str) -> Record | None:
    """The one order whose number is exactly this; the search brings neighbours. Raises _NoMatch for two."""
    records = [of_shop(found) for found in shop.orders_named(number)]
    same = [record for record in records if record.number == number]
    if len(same) > 1:
        raise _NoMatch(Reason.SEVERAL_ORDERS)
    return same[0] if same else None


def _check_owner(record: Record, sender: str) -> None:
    if not record.owners:
        raise _NoMatch(Reason.OWNER_UNKNOWN)
    if record.owners != {sender}:
        raise _NoMatch(Reason.NOT_OWNER)


def _complete(services: Services, record: Record) -> Order:
    """The facts, with a parcel that only the shipping service knows. Raises _NoMatch, and what the service raises."""
    order = record.order
    if order is None:
        raise _NoMatch(Reason.LOOKUP_FAILED)
    if services.shipping is None or order.is_tracked or order.is_cancelled:
        return order
    # When this fails, "there is no tracking yet" would be a guess: no answer then.
    return with_parcel(order, record.owners, services.shipping.shipments_of(order.number))
