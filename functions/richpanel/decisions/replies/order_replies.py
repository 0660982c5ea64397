"""Selection and values of the reply for a matched order. The only module that formats order facts for templates."""

from dataclasses import dataclass
from datetime import datetime

from richpanel.decisions.facts import OrderFacts, Shop
from richpanel.decisions.replies.renderer import LONGEST_VALUE
from richpanel.decisions.shipping.carriers import is_trusted, tracking_link
from richpanel.decisions.shipping.delivery_windows import (
    Method,
    Window,
    in_words,
    method_of,
    remaining,
)
from richpanel.decisions.templates.catalogue import (
    ORDER_ETA,
    ORDER_STATUS,
    SHIPPING_DELAY,
    templates,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderReply:
    """
    The reply for an order. *needs_person*: it is late, cancelled or refunded, or has no known delivery date.
    *may_close*: the reply resolves the question.
    """

    template: str
    values: dict[str, str]
    needs_person: bool = False
    may_close: bool = False


def order_reply(order: OrderFacts, message_at: datetime, shop: Shop) -> OrderReply | None:
    """
    Select the reply for *order*. *message_at* is the time of the customer's message. None without tracking and shipping
    method, because there is nothing to state.
    """
    facts = _facts(order, shop)
    is_tracked = bool(order.tracking_number or facts.get("tracking_url"))
    if not is_tracked and not order.shipping_method:
        return None
    if order.is_cancelled or order.is_refunded:
        return _reply(SHIPPING_DELAY, facts, needs_person=True)
    if is_tracked:
        return _reply(ORDER_STATUS, facts)
    method = method_of(order.shipping_method or "", shop.shipping_windows)
    remaining_window = _remaining_window(order, method, message_at, shop)
    if method is None or remaining_window is None or remaining_window.is_late:
        return _reply(SHIPPING_DELAY, facts, needs_person=True)
    facts["shipping_bucket"] = (
        f"{method.bucket} shipping" if method.bucket else "the shipping method you chose"
    )
    facts["eta_remaining_human"] = in_words(remaining_window)
    return _reply(ORDER_ETA, facts, may_close=True)


def _reply(
    template: str, facts: dict[str, str], *, needs_person: bool = False, may_close: bool = False
) -> OrderReply:
    declared = templates[template].required | templates[template].optional
    values = {name: value for name, value in facts.items() if name in declared}
    return OrderReply(
        template=template, values=values, needs_person=needs_person, may_close=may_close
    )


def _remaining_window(
    order: OrderFacts, method: Method | None, message_at: datetime, shop: Shop
) -> Window | None:
    if method is None or (order.is_preorder and order.ship_by is None):
        return None
    return remaining(
        method.window,
        ordered_at=order.created_at,
        message_at=message_at,
        calendar=shop.calendar,
        ship_by=order.ship_by if order.is_preorder else None,
    )


def _facts(order: OrderFacts, shop: Shop) -> dict[str, str]:
    placed = shop.calendar.day_of(order.created_at)
    link = tracking_link(
        url=order.tracking_url,
        number=order.tracking_number,
        company=order.tracking_company,
        hosts=shop.link_hosts,
    )
    page = order.status_url
    facts = {
        "order_id": order.number,
        "order_status": order.status,
        "fulfillment_status": order.fulfillment_status,
        "tracking_number": order.tracking_number,
        "tracking_company": order.tracking_company,
        "tracking_url": link,
        "status_url": page if page and is_trusted(page, shop.link_hosts) else None,
        "order_created_date_human": f"{placed.day} {placed:%B %Y}",
    }
    # Values that are too long are omitted, because a truncated link is broken.
    return {name: value for name, value in facts.items() if value and len(value) <= LONGEST_VALUE}
