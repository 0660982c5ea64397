"""Webhooks of payment gateways: signatures over the exact bytes, and the claims that they make."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from whatsapp.inbound.payments.gateways import GATEWAYS, Claim, Unreadable, payu_hash

SECRETS = ["older secret", "newer secret"]
RAZORPAY, PAYU = GATEWAYS["razorpay"], GATEWAYS["payu"]


def razorpay(event: str = "payment.captured", **payment: Any) -> bytes:
    entity = {
        "id": "pay_1", "amount": 2_500, "currency": "INR", "status": "captured",
        "notes": {"reference_id": "ref-1"},
    } | payment  # fmt: skip
    return json.dumps({"event": event, "payload": {"payment": {"entity": entity}}}).encode()


PAID_ORDER = b'{"event": "order.paid", "payload": {"order": {"entity": {"receipt": "ref-2"}}}}'


def hex_of(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("secret", SECRETS)
def test_each_active_secret_of_razorpay_verifies_the_raw_body(secret: str) -> None:
    body = razorpay()

    assert RAZORPAY.is_signed(body, hex_of(body, secret), SECRETS)
    assert not RAZORPAY.is_signed(body + b" ", hex_of(body, secret), SECRETS)


@pytest.mark.parametrize("signature", ["", "abc", "é" * 64, "0" * 64, "0" * 128])
def test_a_missing_or_malformed_signature_of_razorpay_is_refused(signature: str) -> None:
    assert not RAZORPAY.is_signed(razorpay(), signature, SECRETS)
    assert not RAZORPAY.is_signed(razorpay(), hex_of(razorpay(), "stolen"), SECRETS)
    assert not RAZORPAY.is_signed(razorpay(), hex_of(razorpay(), ""), [])


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        (razorpay(), Claim("ref-1", "captured", "pay_1", 2_500, "INR")),
        (razorpay(amount=25.5), Claim("ref-1", "captured", "pay_1", None, "INR")),
        (razorpay(notes=[]), None),
        (razorpay(notes={"reference_id": "a/b"}), None),
        (PAID_ORDER, Claim("ref-2", "order.paid")),
        (b"{}", None),
    ],
)  # fmt: skip
def test_an_event_of_razorpay_names_the_order_by_its_notes_or_receipt(
    body: bytes, claim: Claim | None
) -> None:
    assert RAZORPAY.read(body) == claim


def payu(salt: str = SECRETS[1], **changes: str) -> dict[str, str]:
    fields = {
        "key": "JPM7Fg", "txnid": "t1", "amount": "25.00", "productinfo": "bike", "firstname": "Ada",
        "email": "ada@example.com", "udf1": "ref-1", "status": "success", "mihpayid": "4039",
        "unmappedstatus": "captured",
    } | changes  # fmt: skip
    return fields | {"hash": payu_hash(fields, salt).hex()}


def test_the_hash_of_payu_is_the_documented_order_of_fields() -> None:
    fields = {
        "status": "s", "udf1": "1", "udf5": "5", "email": "e", "firstname": "f", "productinfo": "p", "amount": "a",
        "txnid": "t", "key": "k",
    }  # fmt: skip

    expected = hashlib.sha512(b"salt|s||||||5||||1|e|f|p|a|t|k").digest()
    assert payu_hash(fields, "salt") == expected
    charged = hashlib.sha512(b"9|salt|s||||||5||||1|e|f|p|a|t|k").digest()
    assert payu_hash(fields | {"additionalCharges": "9"}, "salt") == charged


@pytest.mark.parametrize("as_json", [True, False])
def test_a_form_or_json_of_payu_is_verified_and_read(as_json: bool) -> None:
    fields = payu()
    body = (json.dumps(fields) if as_json else urlencode(fields)).encode()

    assert PAYU.is_signed(body, "", SECRETS)
    assert PAYU.read(body) == Claim("ref-1", "captured", "4039", 2_500, "INR")


@pytest.mark.parametrize(
    "change", [{"amount": "1.00"}, {"udf1": "ref-2"}, {"status": "failure"}, {"hash": "0" * 128}]
)
def test_a_changed_field_of_payu_is_refused(change: dict[str, str]) -> None:
    assert not PAYU.is_signed(urlencode(payu() | change).encode(), "", SECRETS)


def test_a_form_that_repeats_a_name_is_refused() -> None:
    assert not PAYU.is_signed(urlencode(payu()).encode() + b"&udf1=ref-2", "", SECRETS)


@pytest.mark.parametrize(
    ("amount", "minor"),
    [("25", 2_500), ("25.5", 2_550), ("25.555", None), ("NaN", None), ("", None)],
)
def test_amounts_of_payu_become_minor_units_without_rounding(
    amount: str, minor: int | None
) -> None:
    claim = PAYU.read(urlencode(payu(amount=amount)).encode())

    assert claim is not None
    assert claim.amount == minor


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", b"\xff"])
def test_an_unreadable_body_of_razorpay_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        RAZORPAY.read(body)
