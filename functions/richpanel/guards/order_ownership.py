"""
The order gate: facts of an order are sent only to a sender whose proved address is the owner's.

    linked   the help desk links one order to the ticket, and its owner's address is the sender's
    number   the turn contains one number, the shop has one order of exactly this number, and its owner's address is
             the sender's

All other cases are no match. The reason is recorded for the audit only: a missing order and an order of another owner
look the same to the customer, so that order numbers cannot be probed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from richpanel.decisions.facts import MatchPath
from richpanel.guards.identity import sender_of
from richpanel.guards.order_records import (
    Ambiguous,
    normal_number,
    of_help_desk,
    of_shop,
    with_parcel,
)
from richpanel.store.rate_limit import Throttled
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Collection

    from richpanel.clients.helpdesk import HelpDesk
    from richpanel.clients.shipstation import ShipStation
    from richpanel.clients.shopify import Shopify
    from richpanel.clients.tickets import Comment, OrderLink, Ticket
    from richpanel.guards.order_records import Order, Record


class Reason(StrEnum):
    """The reason why there is no match."""

    IDENTITY_UNPROVEN = "identity_unproven"  # not an e-mail, or its sender is not certain
    NO_NUMBER = "no_number"
    SEVERAL_NUMBERS = "several_numbers"
    NOT_FOUND = "not_found"
    SEVERAL_ORDERS = "several_orders"
    OWNER_UNKNOWN = "owner_unknown"
    NOT_OWNER = "not_owner"
    LINKED_AND_NAMED_DIFFER = "linked_and_named_differ"
    LINK_IS_TICKET = "link_is_ticket"  # the order's id is the ticket's: not a real order
    LOOKUP_FAILED = "lookup_failed"  # a service failed, or omitted a required fact


@dataclass(slots=True, eq=False)
class Services:
    """The services queried for orders. *trust_linked_order*: accept a linked order without any known owner."""

    help_desk: HelpDesk
    shop: Shopify | None = None
    shipping: ShipStation | None = None
    trust_linked_order: bool = False


@dataclass(frozen=True, slots=True)
class OrderMatch:
    """An order proved to be the sender's, with the path of the proof; or the reason why there is none."""

    path: MatchPath | None = None
    order: Order | None = None
    reason: Reason | None = None

    @property
    def is_failed(self) -> bool:
        """Whether the lookup failed. An order may exist, so the reply does not ask for a number."""
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
    Return the order whose facts may be stated in reply to *target*, a customer's comment of *ticket*.

    *numbers*: the order numbers in the turn, in any spelling. *is_email*: whether it came by e-mail; on other channels
    the sender's identity cannot be proved. Raises Throttled if the help desk's rate limit is exhausted; every other
    failure of a service is returned as a reason.
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
    """Return the normal form of *number*; if it has none, *number* itself, which matches no order."""
    return normal_number(number) or number


def _find(services: Services, ticket: Ticket, sender: str | None, named: set[str]) -> OrderMatch:
    if sender is None:
        raise _NoMatch(Reason.IDENTITY_UNPROVEN)
    if len(named) > 1:
        raise _NoMatch(Reason.SEVERAL_NUMBERS)
    link = services.help_desk.linked_order(ticket.id)
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
    """Return the record of the linked order if it is the sender's. Raises _NoMatch."""
    order_id = link.order_id or ""
    if order_id == ticket.id:
        raise _NoMatch(Reason.LINK_IS_TICKET)
    copy = services.help_desk.order(link)
    record = of_help_desk(copy, order_id) if copy else None
    if record and record.owners:
        _check_owner(record, sender)
    if record is None or not record.owners or record.order is None:
        at_shop = _at_shop(services, order_id)
        if record and record.number and at_shop and at_shop.number != record.number:
            # The id belongs to different orders at the help desk and the shop: ambiguous.
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
    Return the shop's record of a linked order. The link's id is read as the shop's internal id. Whether some shops
    use the order number there is not documented (check), so the number is tried next.
    """
    if services.shop is None:
        return None
    order = services.shop.order(order_id)
    if order is not None:
        return of_shop(order)
    number = normal_number(order_id)
    return _exact(services.shop, number) if number else None


def _numbered(services: Services, number: str) -> Record:
    """Return the record of the only order with this number. Raises _NoMatch."""
    record = None
    if services.shop is not None and normal_number(number):
        record = _exact(services.shop, number)
    if record is None:
        raise _NoMatch(Reason.NOT_FOUND)
    return record


def _exact(shop: Shopify, number: str) -> Record | None:
    """Return the order with exactly this number; the search also returns similar ones. Raises _NoMatch for two."""
    records = [of_shop(order) for order in shop.orders_named(number)]
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
    """
    Return the facts, with a parcel from the shipping service if the order has none. Raises _NoMatch and the errors of
    the service.
    """
    order = record.order
    if order is None:
        raise _NoMatch(Reason.LOOKUP_FAILED)
    if services.shipping is None or order.is_tracked or order.is_cancelled:
        return order
    # A failure is not caught: without this lookup, "there is no tracking yet" would be a guess.
    return with_parcel(order, record.owners, services.shipping.shipments_of(order.number))
