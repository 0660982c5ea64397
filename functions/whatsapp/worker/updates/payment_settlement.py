"""
Settles an order by what the provider says about its payment: look-up, comparison, conditional move.

Neither a webhook nor a caller moves an order. They only cause a look-up, whose answer must have the order's currency
and amount. Used by the worker and by actions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from aws_lambda_powertools.metrics import MetricUnit

from shared.failures import Permanent
from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import store, transmission
from whatsapp.store.accounts import refunds as stored_refunds
from whatsapp.store.items.tenants import PaymentOrder, PaymentTransaction, Refund

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

MISMATCH = "amount_mismatch"
_LONGEST_WORD = 128
_ROUNDS = 4
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

    Not confirmed by traffic of ours.
    """
    parts = (phone.phone, "payments", str(order.config_name), order.reference_id)
    return "/".join(quote(part, safe="") for part in parts)


def _payment(answer: dict[str, Any], order: PaymentOrder) -> Payment:
    """
    Parse a look-up: `payments` has one entry with reference_id, status, currency, amount, transactions and refunds.

    Not confirmed by traffic of ours.
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
    return Payment(
        status=status,
        amount=_minor(found.get("amount"), order),
        currency=_word(found.get("currency")) or _word(_dict(found.get("amount")).get("currency")),
        attempts=tuple(_attempts(found, order)),
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


def settle(resources: SendingResources, order: PaymentOrder, payment: Payment) -> PaymentOrder:
    """
    Move an order as far as a look-up says, with its attempts and refunds, and return it as stored. Safe to repeat.

    Raises Permanent (`amount_mismatch`), leaving the order unchanged, and Transient after concurrent changes.
    """
    check(order, payment)
    at = clock.to_text(clock.now_ms())
    for attempt in payment.attempts:
        order = note(resources, order, attempt, at)
    if payment.status is not None and store.payments.can_move(order.payment_status, payment.status):
        paid = next((a for a in payment.attempts if a.state == "success"), None)
        order = store.payments.move(
            resources.table,
            order,
            payment.status,  # type: ignore[arg-type] # one of _STATES
            at,
            transaction_id=paid.transaction_id if paid else None,
        )
    return settle_refunds(resources, order, payment)


def expire(resources: SendingResources, order: PaymentOrder, payment: Payment) -> PaymentOrder:
    """Fail an order that was not paid in time, by a look-up that was made after its expiry. Safe to repeat."""
    now = clock.to_text(clock.now_ms())
    is_late = order.expires_at is not None and order.expires_at <= now
    if not is_late or payment.status in {"authorized", "captured", None}:
        return order
    return store.payments.move(resources.table, order, "failed", now, failure_reason="expired")


def check(order: PaymentOrder, payment: Payment) -> None:
    """Raise Permanent (`amount_mismatch`) unless a payment has the order's currency and amount."""
    is_paid = payment.status in {"authorized", "captured"}
    # A payment that has not begun may be reported without an amount; one that was made must have it.
    differs = [
        given != ordered
        for given, ordered in (
            (payment.currency, order.currency),
            (payment.amount, order.total_amount),
        )
        if given is not None or is_paid
    ]
    if any(differs):
        metrics.add_metric("PaymentMismatch", MetricUnit.Count, 1)
        raise Permanent(MISMATCH)


def note(
    resources: SendingResources, order: PaymentOrder, attempt: Attempt, at: str
) -> PaymentOrder:
    """Store an attempt to pay, and show it on the order. Writes on change only. Raises Transient when contended."""
    entry = {"id": attempt.transaction_id, "state": attempt.state, "at": at}
    shown = _with_attempt(order.transactions, entry)
    if shown == order.transactions:
        return order
    store.payments.note_transaction(
        resources.table,
        PaymentTransaction(
            pk=PaymentTransaction.key(order.reference_id, attempt.transaction_id),
            company=order.company,
            transaction_id=attempt.transaction_id,
            kind=attempt.kind,
            state=attempt.state,
            amount=attempt.amount or None,
            currency=attempt.currency,
            noted_at=at,
        ),
    )
    store.payments.show_transactions(resources.table, order, shown)
    return order.model_copy(update={"transactions": shown})


def _with_attempt(shown: list[dict[str, Any]], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the attempts with this one's newest state; the newest twenty, oldest first."""
    by_id = {str(attempt["id"]): attempt for attempt in shown}
    stored = by_id.get(entry["id"])
    is_known = stored is not None and stored["state"] == entry["state"]
    if is_known or (stored is not None and str(stored["at"]) > entry["at"]):
        return shown
    by_id[entry["id"]] = entry
    newest_last = sorted(by_id.values(), key=lambda item: (str(item["at"]), str(item["id"])))
    return newest_last[-store.payments.ATTEMPTS_SHOWN :]


def settle_refunds(
    resources: SendingResources, order: PaymentOrder, payment: Payment
) -> PaymentOrder:
    """Complete those refunds in progress that the provider lists as paid. Safe to repeat."""
    if not order.refund_open or not any(listed.is_paid for listed in payment.refunds):
        return order
    refunds, _ = stored_refunds.of_order(resources.table, str(order.company), order.order_id)
    for refund in sorted(refunds, key=lambda one: one.refund_id):
        if (refund.status, refund.reference_id) == ("processing", order.reference_id):
            complete(resources, refund, payment)
    return store.payments.get_order(resources.table, order.reference_id) or order


def complete(resources: SendingResources, refund: Refund, payment: Payment) -> Refund:
    """
    Complete a refund in progress if the provider lists it as paid; return it as stored. Safe to repeat.

    Raises Changed after repeated concurrent changes.
    """
    for _ in range(_ROUNDS):
        order = store.payments.get_order(resources.table, str(refund.reference_id))
        refund = stored_refunds.get(resources.table, refund.refund_id) or refund
        if order is None or refund.status != "processing":
            return refund
        listed = listed_refund(order, refund, payment)
        if listed is None or not listed.is_paid:
            return refund
        at = clock.to_text(clock.now_ms())
        try:
            stored_refunds.complete(resources.table, order, refund, listed.refund_id, at)
        except stored_refunds.Changed:
            continue
        return refund.model_copy(update={"status": "completed", "processed_at": at})
    raise stored_refunds.Changed


def listed_refund(order: PaymentOrder, refund: Refund, payment: Payment) -> ListedRefund | None:
    """
    Return the provider's entry of a refund; None if it lists none.

    A refund whose answer was lost has no id of the provider: it is the paid or open entry of the same amount that
    belongs to no other refund.
    """
    if refund.provider_refund_id:
        found = [one for one in payment.refunds if one.refund_id == refund.provider_refund_id]
        return found[0] if found else None
    free = [
        one
        for one in payment.refunds
        if order.refund_ids.get(one.refund_id, refund.refund_id) == refund.refund_id
        and one.amount == refund.amount
        and (one.is_paid or one.is_open)
    ]
    return next(iter(sorted(free, key=lambda one: (not one.is_paid, one.refund_id))), None)


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
