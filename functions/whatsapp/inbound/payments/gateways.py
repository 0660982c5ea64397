"""
Webhooks of payment gateways: verification of the sender, and the claim that a webhook makes about an order. Pure.

    razorpay   X-Razorpay-Signature: hex HMAC-SHA256 of the raw body with the webhook's secret
    payu       `hash` in the body: hex SHA-512 over the salt and the fields, in reverse order

A claim only names an order to be looked up. Our reference travels in the fields that order_details passes on to the
gateway: `notes` and `receipt` of Razorpay, `udf1` of PayU.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REFERENCE = re.compile(r"[A-Za-z0-9._-]{1,35}", re.ASCII)
_HEX_SHA256 = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_HEX_SHA512 = re.compile(r"[0-9a-fA-F]{128}", re.ASCII)
_LONGEST_WORD = 128
_MOST_FIELDS = 200
REFERENCE_NOTE = "reference_id"
_SIGNED_BY_PAYU = (
    "udf5", "udf4", "udf3", "udf2", "udf1", "email", "firstname", "productinfo", "amount", "txnid", "key",
)  # fmt: skip


class Unreadable(Exception):
    """The body of a verified webhook cannot be read."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A gateway's report about the order *reference* of Parley. *amount* is in minor units."""

    reference: str
    status: str
    transaction_id: str | None = None
    amount: int | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Gateway:
    """
    One gateway. *signature_header* is in lower case, empty if the signature is part of the body. *read* returns None
    for an event about an unknown order, and raises Unreadable.
    """

    signature_header: str
    is_signed: Callable[[bytes, str, Iterable[str]], bool]
    read: Callable[[bytes], Claim | None]


def _signed_by_razorpay(body: bytes, signature: str, secrets: Iterable[str]) -> bool:
    """Whether one of the secrets signed the raw body (Razorpay, "Validate webhooks"). Every secret is tried."""
    if not _HEX_SHA256.fullmatch(signature):
        return False
    received = bytes.fromhex(signature)
    matches = [
        hmac.compare_digest(hmac.digest(secret.encode(), body, hashlib.sha256), received)
        for secret in secrets
    ]
    return any(matches)


def _read_razorpay(body: bytes) -> Claim | None:
    event = _json(body)
    payload = _dict(event.get("payload"))
    payment = _dict(_dict(payload.get("payment")).get("entity"))
    order = _dict(_dict(payload.get("order")).get("entity"))
    notes = (_dict(payment.get("notes")), _dict(order.get("notes")))
    named = [note.get(REFERENCE_NOTE) for note in notes] + [order.get("receipt")]
    reference = next((text for one in named if (text := _reference(one))), None)
    if reference is None:
        return None
    amount = payment.get("amount")
    return Claim(
        reference=reference,
        # Such as payment.captured, order.paid, refund.processed.
        status=_word(payment.get("status")) or _word(event.get("event")) or "unknown",
        transaction_id=_word(payment.get("id")),
        amount=amount if isinstance(amount, int) and not isinstance(amount, bool) else None,
        currency=_word(payment.get("currency")),
    )


def _signed_by_payu(body: bytes, _signature: str, secrets: Iterable[str]) -> bool:
    """Whether one of the salts signed the fields of the body (PayU, "Reverse hash"). Every salt is tried."""
    try:
        fields = _fields(body)
    except Unreadable:
        return False
    received = fields.get("hash", "")
    if not _HEX_SHA512.fullmatch(received):
        return False
    signed = bytes.fromhex(received)
    matches = [hmac.compare_digest(payu_hash(fields, salt), signed) for salt in secrets]
    return any(matches)


def payu_hash(fields: dict[str, str], salt: str) -> bytes:
    """
    Return PayU's hash of a webhook's fields: salt, status, five reserved fields, udf5 to udf1, and five fields of the
    payment; additional charges go first, if there are any.
    """
    values = [fields.get(name, "") for name in _SIGNED_BY_PAYU]
    parts = [salt, fields.get("status", ""), *[""] * 5, *values]
    charges = fields.get("additional_charges") or fields.get("additionalCharges")
    text = "|".join([charges, *parts] if charges else parts)
    return hashlib.sha512(text.encode("utf-8", "surrogatepass")).digest()


def _read_payu(body: bytes) -> Claim | None:
    fields = _fields(body)
    reference = _reference(fields.get("udf1"))
    if reference is None:
        return None
    return Claim(
        reference=reference,
        status=_word(fields.get("unmappedstatus")) or _word(fields.get("status")) or "unknown",
        transaction_id=_word(fields.get("mihpayid")),
        amount=_minor(fields.get("amount", "")),
        currency=_word(fields.get("currency")) or "INR",
    )


GATEWAYS = {
    "razorpay": Gateway("x-razorpay-signature", _signed_by_razorpay, _read_razorpay),
    "payu": Gateway("", _signed_by_payu, _read_payu),
}


def _fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form or of a JSON object of texts. Raises Unreadable."""
    if body[:1] == b"{":
        return {name: str(value) for name, value in _json(body).items() if value is not None}
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Unreadable("body: must be a form") from None
    fields = dict(pairs)
    # Readers disagree about which of two values counts.
    if len(fields) != len(pairs):
        raise Unreadable("body: must not contain a name twice")
    return fields


def _json(body: bytes) -> dict[str, Any]:
    try:
        # Amounts in JSON are whole numbers; a fraction stays a text and equals no amount.
        parsed = json.loads(body, parse_float=str)
    except (ValueError, RecursionError):
        raise Unreadable("body: must be JSON") from None
    if not isinstance(parsed, dict):
        raise Unreadable("body: must be a JSON object")
    return parsed


def _minor(text: str) -> int | None:
    """Return a decimal such as `1500.00` in minor units; None for a fraction of one."""
    try:
        amount = Decimal(text[:20]) * 100
    except InvalidOperation:
        return None
    is_whole = amount.is_finite() and amount == amount.to_integral_value()
    return int(amount) if is_whole else None


def _reference(value: object) -> str | None:
    return value if isinstance(value, str) and _REFERENCE.fullmatch(value) else None


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD else None
