"""A payload that is too large for the queue is read by its pointer only, and only if it is unchanged."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import APP, NOW, PHONE, Harness, text
from whatsapp.configuration.folders import claims
from whatsapp.inbound.event import Event
from whatsapp.inbound.splitter import Delivery, events_of

NUMBER = {"phone_number_id": PHONE, "display_phone_number": "15550783881"}
WHOLE = json.dumps(text("wamid.1")).encode()


def claimed(harness: Harness, **changes: Any) -> Event:
    """A message whose payload is in the bucket; *changes* are of its pointer."""
    change = {"field": "messages", "value": {"metadata": NUMBER, "messages": [text("wamid.1")]}}
    body = {"entry": [{"id": "102290129340398", "changes": [change]}]}
    [event] = events_of(body, Delivery(source="meta", app=APP, accepted_at=NOW))
    pointer = claims(harness.resources.bucket).put(event.hash, WHOLE).attributes()
    return replace(event, claim=pointer | changes)


def test_a_payload_is_read_by_its_pointer(harness: Harness) -> None:
    harness.handle(claimed(harness).to_json())

    assert harness.item("MSG#wamid.1")["textBody"] == "hello"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"key": "media/acme/1/77/file.json"}, "claim_damaged"),
        ({"key": "claims/../media/acme/1/77/file.json"}, "claim_damaged"),
        ({"sha256": "0" * 64}, "claim_damaged"),
        ({"bytes": 5}, "claim_damaged"),
        ({"key": None}, "claim_damaged"),
        ({"key": "claims/none.json"}, "claim_gone"),
    ],
)
def test_a_pointer_that_does_not_fit_parks_the_event(
    harness: Harness, changes: dict[str, Any], reason: str
) -> None:
    harness.resources.bucket.put("media/acme/1/77/file.json", WHOLE)

    handled = harness.handle(claimed(harness, **changes).to_json())

    assert handled.reason == reason
    assert harness.item("MSG#wamid.1") == {}
