"""Locations and contact cards."""

from decimal import Decimal
from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import Actions

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
SHOP = {"latitude": 51.5007, "longitude": -0.1246, "name": "Our shop", "address": "Bridge Street 1"}
CARD = {
    "name": {"formatted_name": "Ann Doe", "first_name": "Ann"},
    "phones": [{"phone": "+447700900123", "type": "WORK"}],
}


def test_a_location_is_sent_and_stored_as_decimals(actions: Actions) -> None:
    answer = actions.send("send_location", SHOP)

    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    texts = {name: str(value) for name, value in SHOP.items()}
    assert actions.wire[0].body["location"] == texts  # type: ignore[index] # JSON
    stored = actions.item(answer.result["messagePk"])
    assert stored["content"]["latitude"] == Decimal("51.5007")
    assert stored["preview"] == "[location] Our shop"


def test_contact_cards_are_sent_as_given(actions: Actions) -> None:
    answer = actions.send("send_contact", {"contacts": [CARD]})

    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    assert actions.wire[0].body["contacts"] == [CARD]  # type: ignore[index] # JSON
    stored = actions.item(answer.result["messagePk"])
    assert (stored["type"], stored["content"]) == ("contacts", {"contacts": [CARD]})


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("send_location", {**SHOP, "latitude": 90.5}, "latitude"),
        ("send_location", {**SHOP, "longitude": -181}, "longitude"),
        ("send_location", {**SHOP, "latitude": "north"}, "latitude"),
        ("send_location", {**SHOP, "name": "x" * 1_001}, "name"),
        ("send_contact", {"contacts": []}, "contacts"),
        ("send_contact", {"contacts": [CARD] * 11}, "contacts"),
        ("send_contact", {"contacts": [CARD, {"name": {}}]}, "contacts.1.name.formatted_name"),
        ("send_contact", {"contacts": ["Ann"]}, "contacts.0"),
    ],
)
def test_places_and_contacts_beyond_the_limits_are_refused(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.send(action, body)

    assert (answer.status, answer.fields, actions.wire) == (400, [field], [])
