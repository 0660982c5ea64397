"""Flows and addresses that customers fill in, and replies to sent messages."""

import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import Message
from whatsapp.store.items.contacts.customers import FlowToken

CUSTOMER = "447700900101"
POINTER = f"ADDRESS#{CUSTOMER}#DEFAULT#acme"
HOME = {"name": "Priya Nair", "in_pin_code": "560001", "address": "12 Lantern Street", "city": "B"}


def reply(identity: str, name: str, response: object, at: int = 0, **more: Any) -> dict[str, Any]:
    given = response if isinstance(response, str) else json.dumps(response)
    part = {"name": name, "body": "Sent", "response_json": given}
    said = {"type": "interactive", "interactive": {"type": "nfm_reply", "nfm_reply": part}}
    return {"messages": [text(identity, at=NOW // 1000 - 600 + at) | said | more]}


def address(identity: str, at: int = 0, **values: str) -> dict[str, Any]:
    return reply(identity, "address_message", {"values": HOME | values}, at)


def responses(harness: Harness) -> list[str]:
    return [key for key in harness.keys() if key.startswith("FLOW_RESPONSE#")]


def addresses(harness: Harness) -> list[str]:
    return [key for key in harness.keys() if key.startswith("ADDRESS#") and "#DEFAULT#" not in key]


def give_token(harness: Harness, token: str, company: str = "acme") -> None:
    item = FlowToken(pk=FlowToken.of(token), company=company, flow="4711")
    harness.resources.table.put(item.attributes())


def sent(harness: Harness, **facts: Any) -> None:
    """Store an outbound message that the customer may answer."""
    written = Message(
        pk="MSG#wamid.sent", company=facts.pop("company", "acme"), direction="OUTBOUND",
        received_at="2026-01-01T11:00:00.000Z", from_="15550783881", from_pk="15550783881",
        conversation_pk=f"CONV#{PHONE}#{CUSTOMER}", type="template", inbox_pk="arn:x", phone=PHONE,
        payload_hash="-", **facts,
    )  # fmt: skip
    harness.resources.table.put(written.attributes())


ANSWERS = {"flow_token": "t-1", "service": "full", "price": 12.5}
TO_OURS: dict[str, Any] = {"context": {"from": "15550783881", "id": "wamid.sent"}}


def test_the_answers_of_a_flow_are_kept_under_the_flow_of_their_token(harness: Harness) -> None:
    give_token(harness, "t-1")

    harness.take(reply("wamid.1", "flow", ANSWERS))
    harness.take(reply("wamid.1", "flow", ANSWERS))

    assert responses(harness) == ["FLOW_RESPONSE#4711#wamid.1"]
    kept = harness.item("FLOW_RESPONSE#4711#wamid.1")
    assert {name: str(value) for name, value in kept["data"].items()} == {
        "service": "full",
        "price": "12.5",
    }
    assert (kept["wabaMetaId"], kept["customerPhone"]) == ("102290129340398", CUSTOMER)
    assert kept["createdAt"] == kept["completedAt"] == "2026-01-01T11:50:00.999Z"


@pytest.mark.parametrize("company", [None, "globex"])
def test_a_foreign_token_belongs_to_an_unknown_flow(harness: Harness, company: str | None) -> None:
    if company:
        give_token(harness, "t-1", company)

    harness.take(reply("wamid.1", "flow", ANSWERS))

    assert responses(harness) == ["FLOW_RESPONSE#unknown#wamid.1"]


def test_without_a_token_the_answered_message_names_the_flow(harness: Harness) -> None:
    sent(harness, content={"action": {"parameters": {"flow_id": "815"}}})

    harness.take(reply("wamid.1", "flow", {"day": "monday"}, **TO_OURS))

    assert responses(harness) == ["FLOW_RESPONSE#815#wamid.1"]


@pytest.mark.parametrize(
    ("payload", "screen"),
    [
        ({"screen": "BOOKING"}, "BOOKING"),
        ({"screen": "BOOKING", "data": {"day": "monday"}}, "BOOKING"),
        ({"screen": 7}, None),
        ({"screen": ""}, None),
        ("BOOKING", None),
        (None, None),
    ],
)
def test_without_the_data_endpoint_the_screen_is_the_one_that_the_message_opened(
    harness: Harness, payload: object, screen: str | None
) -> None:
    parameters = {"flow_id": "815", "flow_action_payload": payload}
    sent(harness, content={"action": {"parameters": parameters}})
    harness.take(reply("wamid.1", "flow", {"day": "monday"}, **TO_OURS))

    assert harness.item("FLOW_RESPONSE#815#wamid.1").get("screenId") == screen


@pytest.mark.parametrize("given", ["{broken", "[1]", '"text"', "{" * 5_000])
def test_unreadable_flow_answers_are_dropped_and_message_and_response_item_are_stored(
    harness: Harness, given: str
) -> None:
    assert harness.outcomes(reply("wamid.1", "flow", given)) == [Outcome.PERSISTED]

    assert harness.item("MSG#wamid.1")["subtype"] == "nfm_reply"
    assert "data" not in harness.item("FLOW_RESPONSE#unknown#wamid.1")


def test_long_answers_are_stored_in_the_bucket(harness: Harness) -> None:
    harness.take(reply("wamid.1", "flow", {"story": "word " * 8_000}))

    kept = harness.item("FLOW_RESPONSE#unknown#wamid.1")
    assert "data" not in kept
    assert kept["dataS3Key"].startswith(f"content/acme/{PHONE}/")
    found = boto3.client("s3").get_object(
        Bucket=harness.resources.bucket.name, Key=kept["dataS3Key"]
    )
    assert json.loads(found["Body"].read()) == {"story": "word " * 8_000}


def test_an_address_is_kept_and_becomes_the_default_if_there_is_none(harness: Harness) -> None:
    harness.take(address("wamid.1", house_number="12"))
    harness.take(address("wamid.2", 5, address="1 Mill Lane"))

    first, _ = harness.item(POINTER)["addresses"]
    assert len(addresses(harness)) == 2
    kept = harness.item(harness.item(POINTER)["addressPk"])
    assert (kept["address"], kept["postalCode"], kept["country"]) == (
        "12 Lantern Street",
        "560001",
        "IN",
    )
    assert (kept["details"], kept["customerPhone"]) == ({"house_number": "12"}, CUSTOMER)
    assert first


def test_two_spellings_of_an_address_are_one_address(harness: Harness) -> None:
    harness.take(address("wamid.1"), address("wamid.2", 5, address="12  LANTERN street "))
    harness.take(address("wamid.1"))

    assert len(addresses(harness)) == len(harness.item(POINTER)["addresses"]) == 1


def test_of_more_than_twenty_addresses_the_oldest_except_the_default_is_removed(
    harness: Harness,
) -> None:
    for number in range(22):
        harness.take(address(f"wamid.{number}", number, address=f"{number} Mill Lane"))
    before = {key: harness.item(key) for key in addresses(harness)}

    assert sorted(int(item["address"].split()[0]) for item in before.values()) == [
        0,
        *range(3, 22),
    ]
    harness.take(address("wamid.1", 1, address="1 Mill Lane"))  # delivered again
    assert {key: harness.item(key) for key in addresses(harness)} == before
    assert sorted(harness.item(POINTER)["addresses"]) == sorted(before)


@pytest.mark.parametrize("given", ["{broken", {"values": {}}, {"values": [1]}, {"other": 1}])
def test_of_an_address_without_values_only_the_message_is_stored(
    harness: Harness, given: object
) -> None:
    assert harness.outcomes(reply("wamid.1", "address_message", given)) == [Outcome.PERSISTED]

    assert not [key for key in harness.keys() if key.startswith("ADDRESS#")]


@pytest.mark.parametrize(
    ("facts", "reply_of"),
    [
        ({"template": "reminder"}, "reminder"),
        ({"template": "reminder", "campaign_id": "c-1"}, "c-1"),
        ({}, None),
        ({"template": "reminder", "company": "globex"}, None),
    ],
)
def test_a_reply_names_the_answered_message_for_the_counts(
    harness: Harness, facts: dict[str, Any], reply_of: str | None
) -> None:
    sent(harness, **facts)

    harness.take({"messages": [text("wamid.1", **TO_OURS)]})

    assert harness.item("MSG#wamid.1").get("replyOf") == reply_of
