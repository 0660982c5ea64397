"""The definition of a welcome sequence: stored, replaced, disabled, and one for each trigger."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.analytics.welcomes import HELLO, LATER, Welcomes
from tests.integration.whatsapp.actions.conftest import WABA
from tests.integration.whatsapp.conftest import PHONE

KEY = f"SEQUENCE#{WABA}#welcome"


def named_by(welcomes: Welcomes) -> dict[str, str]:
    """The sequences that the number starts."""
    found: dict[str, str] = welcomes.actions.item(f"PHONE#{PHONE}").get("welcomeSequences", {})
    return found


def test_a_sequence_is_stored_and_the_numbers_of_its_account_name_it(welcomes: Welcomes) -> None:
    template = {"delayMinutes": 1_440, "templateName": "bike_ready", "languageCode": "de"}
    answer = welcomes.set_up(HELLO, template, trigger="request_welcome", stopOnReply=False)

    assert answer.result == {
        "metaWabaId": WABA,
        "sequenceName": "welcome",
        "enabled": True,
        "trigger": "request_welcome",
        "stopOnReply": False,
        "messages": 2,
        "phoneNumberIds": [PHONE],
    }
    assert welcomes.actions.item(KEY) == {
        "pk": KEY,
        "itemType": "SEQUENCE",
        "company": "acme",
        "account": WABA,
        "sequenceName": "welcome",
        "steps": [
            {"delayMinutes": 0, "text": "Hello!"},
            {"delayMinutes": 1_440, "templateName": "bike_ready", "language": "de"},
        ],
        "enabled": True,
        "trigger": "request_welcome",
        "stopOnReply": False,
        "createdBy": "api-key:acme",
        "updatedAt": "2026-01-01T12:00:00.000Z",
    }
    assert named_by(welcomes) == {"request_welcome": "welcome"}


def test_the_same_name_replaces_the_sequence_and_may_change_its_trigger(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.set_up(HELLO, LATER, trigger="request_welcome")

    assert len(welcomes.actions.item(KEY)["steps"]) == 2
    assert named_by(welcomes) == {"request_welcome": "welcome"}


def test_a_disabled_sequence_stays_stored_and_no_number_names_it(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    answer = welcomes.set_up(HELLO, enabled=False)

    assert answer.result["enabled"] is False
    assert welcomes.actions.item(KEY)["enabled"] is False
    assert "welcomeSequences" not in welcomes.actions.item(f"PHONE#{PHONE}")


def test_an_account_has_one_enabled_sequence_for_each_trigger(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    second = welcomes.set_up(HELLO, name="spring")
    other = welcomes.set_up(HELLO, name="opened", trigger="request_welcome")
    draft = welcomes.set_up(HELLO, name="autumn", enabled=False)

    assert (second.status, second.error) == (409, "state_conflict")
    assert welcomes.actions.item(f"SEQUENCE#{WABA}#spring") == {}
    assert (other.status, draft.status) == (200, 200)
    assert named_by(welcomes) == {"first_message": "welcome", "request_welcome": "opened"}
    welcomes.set_up(HELLO, enabled=False)
    assert welcomes.set_up(HELLO, name="spring").status == 200


def test_a_registration_of_the_number_keeps_its_sequence(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    body = {"phoneNumberId": PHONE, "metaWabaId": WABA, "displayPhone": "+15550783881"}
    welcomes.actions.run("save_phone", body)

    assert named_by(welcomes) == {"first_message": "welcome"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [HELLO] * 11}, "messages"),
        ({"messages": [{"delayMinutes": 0}]}, "messages.0"),
        ({"messages": [HELLO | {"templateName": "bike_ready"}]}, "messages.0"),
        ({"messages": [HELLO | {"languageCode": "de"}]}, "messages.0"),
        ({"messages": [HELLO, HELLO | {"delayMinutes": 1_441}]}, "messages.1.delayMinutes"),
        ({"messages": [HELLO | {"delayMinutes": -1}]}, "messages.0.delayMinutes"),
        ({"messages": [HELLO | {"delayMinutes": "5"}]}, "messages.0.delayMinutes"),
        ({"messages": [{"text": "a" * 4_097}]}, "messages.0.text"),
        ({"messages": [{"templateName": "Bike Ready"}]}, "messages.0.templateName"),
        ({"messages": [HELLO | {"image": "x"}]}, "messages.0.image"),
        ({"sequenceName": "Welcome!"}, "sequenceName"),
        ({"trigger": "birthday"}, "trigger"),
        ({"enabled": "yes"}, "enabled"),
    ],
)
def test_a_wrong_definition_is_refused_with_the_place(
    welcomes: Welcomes, given: dict[str, Any], field: str
) -> None:
    body = {"metaWabaId": WABA, "sequenceName": "welcome", "messages": [HELLO]} | given
    answer = welcomes.actions.run("setup_welcome_sequence", body)

    assert (answer.status, answer.fields) == (400, [field])
    assert welcomes.keys("SEQUENCE") == []
