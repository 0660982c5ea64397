"""Canaries: unique words in every field that customers write, searched for in every sink except the inbox itself."""

from __future__ import annotations

import hashlib
import hmac
import json
from io import StringIO
from typing import Any
from unittest import mock

import pytest

from events.whatsapp.sample_data import APP_SECRET, COMPANY, COUNTER, STRANGER, BusinessNumber
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import OutboundMessage, body_of
from tests.integration.logs import recorded
from tests.simulation.whatsapp.system import System
from whatsapp.store.items.accounts.phones import CONVERSATIONS, NO_AUTOMATION

PHONE = "447700900987"
CANARIES = (
    PHONE, "Nightjar Quillfeather", "canary-words", "canary-caption", "canary-file.pdf", "canary@nest.example",
    "1 Canary Lane", "canary-error", "canary-unknown", "canary-raw", "canary-title",
)  # fmt: skip


def post(
    *changes: dict[str, Any], number: BusinessNumber = COUNTER, raw: bytes | None = None
) -> dict[str, Any]:
    metadata = {"phone_number_id": number.phone, "display_phone_number": number.display}
    made = [
        {"field": c.pop("field", "messages"), "value": {"metadata": metadata} | c}
        for c in map(dict, changes)
    ]
    entry = {"id": number.waba, "changes": made}
    body = raw or json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
    signature = "sha256=" + hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
    return {
        "httpMethod": "POST",
        "headers": {"x-hub-signature-256": signature},
        "body": body.decode(),
    }


def message(identity: str, kind: str, part: Any, **more: Any) -> dict[str, Any]:
    written = {
        "id": identity,
        "from": PHONE,
        "timestamp": "1767225600",
        "type": kind,
        kind: part,
    } | more
    contact = {"wa_id": PHONE, "profile": {"name": "Nightjar Quillfeather"}}
    return {"contacts": [contact], "messages": [written]}


def sent(**changes: Any) -> Entry:
    """A message that conversations sent to the customer."""
    facts: dict[str, Any] = {
        "provider": "meta", "provider_message_id": "wamid.9", "action_id": "1", "company": COMPANY,
        "account": COUNTER.waba, "business_address": COUNTER.phone, "customer_address": f"+{PHONE}",
        "message_type": "text", "content": WORDS, "occurred_at": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    message = OutboundMessage(**facts | changes)
    return Entry(body_of(message), digest(PHONE), digest("outbound", message.action_id))


WORDS = {"body": "canary-words, write to canary@nest.example"}
STATUS = {"id": "wamid.8", "recipient_id": PHONE}
ERROR = {"code": 1, "title": "canary-title", "message": "canary-error"}
PROGRAM = {"id": "1003383421387262", "mime_type": "image/jpeg", "caption": "canary-caption"}
DELIVERIES: list[dict[str, Any] | Entry] = [
    post(message("wamid.1", "text", WORDS)),
    post(message("wamid.1", "text", {"body": "canary-words of another kind"})),  # parked: conflict
    post(message("wamid.2", "text", WORDS), number=STRANGER),  # parked: unknown phone
    post(message("wamid.3", "image", PROGRAM)),
    post(message("wamid.4", "document", {"id": "404", "filename": "canary-file.pdf", "mime_type": "application/pdf"})),
    post(message("wamid.5", "location", {"latitude": 1.5, "longitude": 2.5, "address": "1 Canary Lane"})),
    post(message("wamid.6", "hologram", {"words": "canary-unknown"})),
    post(message("wamid.7", "edit", {"message": {"type": "text", "text": WORDS}})),  # parked: no target
    post({"statuses": [STATUS | {"status": "failed", "errors": [ERROR]}]}),
    post({"statuses": [STATUS | {"status": "tele#ported"}]}),  # parked: unknown status
    post({"field": "security", "event": "canary-unknown", "requester": PHONE}),
    post(raw=b'{"canary-raw": "447700900987'),  # parked: malformed
    sent(),
    sent(business_address="999999", action_id="2"),  # parked: unknown phone
    sent(content=["canary-words"], action_id="3"),  # parked: malformed event
]  # fmt: skip


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """The output of the functions' logger from now on."""
    return recorded(monkeypatch)


@pytest.mark.parametrize("automation", [NO_AUTOMATION, CONVERSATIONS])
def test_customer_content_is_in_no_log_metric_or_parked_item(
    system: System, log: StringIO, capsys: pytest.CaptureFixture[str], automation: str
) -> None:
    system.reset(automation=automation)
    for event in DELIVERIES:
        system.deliver_until_accepted(event)
    ids = "".join(m.group + m.deduplication for m in system.queue.messages)
    system.drain()
    handed = [m for queue in system.queue.elsewhere.values() for m in queue.messages]
    assert bool(handed) == (automation == CONVERSATIONS)
    ids += "".join(m.group + m.deduplication for m in handed)

    parked = [item for item in system.items().values() if item.get("webhookEventType") == "parked"]
    assert {item["reason"] for item in parked} == {
        "conflict", "unknown_phone", "no_target", "unknown_status", "malformed", "malformed_event",
    }  # fmt: skip
    metrics = capsys.readouterr().out
    assert "Accepted" in metrics
    assert log.getvalue().count("event handled") >= len(DELIVERIES)
    sinks = {"log": log.getvalue(), "metrics": metrics, "parked": repr(parked), "queue ids": ids}
    assert [(name, word) for name, text in sinks.items() for word in CANARIES if word in text] == []


def test_an_exception_containing_customer_text_is_logged_without_it(
    system: System, log: StringIO
) -> None:
    system.deliver_until_accepted(DELIVERIES[0])
    text = f"Invalid type for parameter Item, value: {CANARIES}"

    with mock.patch("whatsapp.inbound.content.describe", side_effect=ValueError(text)):
        system.run_worker()

    assert '"error":"ValueError"' in log.getvalue()
    assert [word for word in CANARIES if word in log.getvalue()] == []
