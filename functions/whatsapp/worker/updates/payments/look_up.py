"""
Looks payments up at the provider, the only evidence of what became of them.

Not confirmed by live traffic: path, structure and words of the answer (Meta, "Receive payments via payment
gateways").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import transmission

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone
    from whatsapp.store.items.accounts.tenants import PaymentOrder

_LONGEST_WORD = 128
# The provider's words for the state of a payment: `new` means that the customer has not begun to pay.
_STATES = {
    "new": "pending",
    "pending": "pending",
    "authorized": "authorized",
    "captured": "captured",
    "failed": "failed",
    "canceled": "failed",
    "cancelled": "failed",
}
PAID = "success"  # the state of an attempt
_REFUNDED = frozenset({"success", "successful", "completed", "processed"})
_REFUND_PENDING = frozenset({"pending", "processing", "created", "initiated"})


class NoLookUp(Exception):
    """The payment cannot be looked up; the text says why."""


@dataclass(frozen=True, slots=True)
class ListedRefund:
    """A refund in the provider's list. *amount* is in minor units of the order."""

    refund_id: str
    amount: int | None
    state: str

    @property
    def is_paid(self) -> bool:
        """Whether the customer has the money back."""
        return self.state in _REFUNDED

    @property
    def is_open(self) -> bool:
        """Whether the provider still works on it."""
        return self.state in _REFUND_PENDING


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of the customer to pay."""

    transaction_id: str
    state: str
    kind: str | None = None
    amount: int | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """The provider's answer. *status* is our word, None for an unknown one; *amount* in minor units of the order."""

    status: str | None
    amount: int | None
    currency: str | None
    attempts: tuple[Attempt, ...] = ()
    refunds: tuple[ListedRefund, ...] = ()
    answer: dict[str, Any] = field(default_factory=dict, repr=False)


def look_up(resources: SendingResources, phone: Phone, order: PaymentOrder) -> Payment:
    """
    Return what the provider knows about an order's payment.

    Raises NoLookUp for an order without a payment configuration or a number without access to Graph, and the
    provider's Refused, NotSent and InDoubt.
    """
    if not order.config_name:
        raise NoLookUp("the order has no payment configuration: its payment is not visible here")
    try:
        token = transmission.token_of(resources, phone)
    except Permanent as fault:
        raise NoLookUp(f"the number has no access to Graph: {fault.reason}") from None
    answer = resources.graph.call("GET", _path(phone, order), token)
    return _payment(answer, order)


def _path(phone: Phone, order: PaymentOrder) -> str:
    """
    Return the path of the look-up (Meta, "Receive payments via payment gateways": payment look-up API).

    Not confirmed by live traffic.
    """
    parts = (phone.phone, "payments", str(order.config_name), order.reference_id)
    return "/".join(quote(part, safe="") for part in parts)


def _payment(answer: dict[str, Any], order: PaymentOrder) -> Payment:
    """
    Parse a look-up: `payments` has one entry with reference_id, status, currency, amount, transactions and refunds.

    Not confirmed by live traffic.
    """
    listed = [one for one in _list(answer.get("payments")) if _dict(one)]
    found = next((one for one in listed if one.get("reference_id") == order.reference_id), {})
    if not found:
        # Known by its path only.
        found = listed[0] if len(listed) == 1 and "reference_id" not in listed[0] else {}
    word = str(found.get("status", "new")).casefold()
    status = _STATES.get(word)
    if status is None:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    attempts = tuple(_attempts(found, order))
    # The successful attempt has the amount too, should the payment itself have none.
    paid = next((attempt for attempt in attempts if attempt.state == PAID), None)
    return Payment(
        status=status,
        amount=_minor(found.get("amount"), order) or (paid.amount if paid else None),
        currency=_word(found.get("currency")) or (paid.currency if paid else None),
        attempts=attempts,
        refunds=tuple(
            ListedRefund(
                refund_id, _minor(one.get("amount"), order), str(one.get("status", "")).casefold()
            )
            for one in _list(found.get("refunds"))
            if (refund_id := _word(one.get("id")))
        ),
        answer=found,
    )


def _attempts(found: dict[str, Any], order: PaymentOrder) -> list[Attempt]:
    return [
        Attempt(
            transaction_id=transaction_id,
            state=_word(one.get("status")) or "unknown",
            kind=_word(one.get("type")),
            amount=_minor(one.get("amount"), order),
            currency=_word(one.get("currency")),
        )
        for one in _list(found.get("transactions"))
        if (transaction_id := _word(one.get("id")))
    ]


def _minor(amount: object, order: PaymentOrder) -> int | None:
    """Return {value, offset} in the order's minor units; None if it is absent, 0, or not a whole number of them."""
    value, offset = _whole(_dict(amount).get("value")), _whole(_dict(amount).get("offset", 100))
    if not value or not offset:
        return None
    minor, rest = divmod(value * order.amount_offset, offset)
    return minor if rest == 0 else -1  # a fraction of a minor unit equals no order


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value[:_LONGEST_WORD])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _word(value: object) -> str | None:
    is_word = isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD
    return str(value) if is_word else None
