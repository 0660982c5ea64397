"""Queue entries of payments that are to be looked up: reported by a gateway, or due for a check."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from shared.aws.sqs_fifo import Entry, digest, to_json
from whatsapp.inbound.event import PAYMENT_CLAIM, Event

if TYPE_CHECKING:
    from whatsapp.inbound.payments.gateways import Claim


def entry_of(claim: Claim, gateway: str, body: bytes, now_ms: int) -> Entry:
    """Return the entry of a gateway's report. The same body again is the same entry."""
    payload = {
        "reference": claim.reference,
        "gateway": gateway,
        "status": claim.status,
        "transactionId": claim.transaction_id,
        "amount": claim.amount,
        "currency": claim.currency,
    }
    fingerprint = hashlib.sha256(body).hexdigest()
    return _entry(event_of(payload, "gateway", fingerprint, now_ms), fingerprint)


def check_of(company: str, reference: str, check: str, now_ms: int) -> Entry:
    """Return the entry of a due check. *check* names it: the same check again is the same entry."""
    fingerprint = digest(company, reference, check)
    payload = {"company": company, "reference": reference}
    return _entry(event_of(payload, "parley", fingerprint, now_ms), fingerprint)


def event_of(payload: dict[str, Any], source: str, fingerprint: str, now_ms: int) -> Event:
    """Return the event of a payment that is to be looked up. The worker finds its number by the order."""
    given = {name: value for name, value in payload.items() if value is not None}
    return Event(
        kind=PAYMENT_CLAIM, id=fingerprint, source=source, app="", accepted_at=now_ms, waba="", phone="",
        display_phone="", field=PAYMENT_CLAIM, at=now_ms // 1_000, index=0, contact=None, payload=given,
        hash=digest(to_json(given), fingerprint),
    )  # fmt: skip


def _entry(event: Event, fingerprint: str) -> Entry:
    reference = str((event.payload or {})["reference"])
    return event.entry(group=(PAYMENT_CLAIM, reference), deduplication=(PAYMENT_CLAIM, fingerprint))
