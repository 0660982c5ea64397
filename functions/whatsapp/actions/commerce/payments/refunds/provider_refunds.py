"""Makes refunds at the provider."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shared.aws.sqs_fifo import digest
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.inputs import Input, Ulid
from whatsapp.actions.commerce.payments.order_details import OFFSET
from whatsapp.sending.failures import NotConfigured

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import Phone
    from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund

# Crockford's base32, as in ULIDs.
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHARACTERS = 26
_FIND = (
    "look the payment up with lookup_payment, which completes the refund once the provider lists it"
)


class _Caused(Input):
    """The identity of a refund's call in the ledger."""

    refund_id: Ulid


def refund_id_of(company: str, cause: str) -> str:
    """Return the id of the refund that a call opens: the same for every retry of the call."""
    number = int.from_bytes(hashlib.sha256(digest("refund", company, cause).encode()).digest())
    text = ""
    for _ in range(_CHARACTERS):
        number, rest = divmod(number, len(_DIGITS))
        text += _DIGITS[rest]
    return text


def caused_by(call: Call[Any], refund: Refund) -> Call[Any]:
    """Return the call with the refund as its cause: the provider is asked once, by any number of calls."""
    return replace(
        call,
        action="process_refund",
        cause=digest("refund", call.company, refund.refund_id),
        input=_Caused.model_validate({"refundId": refund.refund_id}),
    )


def attempt_of(
    call: Call[Any], phone: Phone, order: PaymentOrder
) -> Callable[[Refund], str | None]:
    """Return the provider's call, which returns the provider's id. Raises NotConfigured."""
    if not order.config_name:
        raise NotConfigured("the order has no payment configuration: refund it at the gateway")
    graph = remote.graph_of(call, phone)

    def attempt(refund: Refund) -> str | None:
        answer = graph.attempt("POST", phone.phone, "payments_refund", body=_body(order, refund))
        found = answer.get("id")
        return found if isinstance(found, str) and found else None

    return attempt


def once(
    call: Call[Any], phone: Phone, refund: Refund, attempt: Callable[[Refund], str | None]
) -> str:
    """Make a refund at the provider unless an attempt was made, and return its id. Raises as `remote.once`."""
    return remote.once(caused_by(call, refund), phone, _FIND, lambda: attempt(refund))


def _body(order: PaymentOrder, refund: Refund) -> dict[str, Any]:
    """
    Return the body of a refund (Meta, "Receive payments via payment gateways": refunds API).

    Not confirmed by our own traffic, as is the path.
    """
    return {
        "reference_id": order.reference_id,
        "speed": refund.speed or "normal",
        "payment_config_id": order.config_name,
        "amount": {"currency": refund.currency, "value": refund.amount, "offset": OFFSET},
    }
