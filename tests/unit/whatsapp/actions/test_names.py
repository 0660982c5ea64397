"""The business's number is `phone` and the customer is `to` in all actions; other names are accepted and listed."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from events.whatsapp.actions import bodies
from local.docs import action_reference
from shared.api.errors import InvalidInput
from shared.api.models import inputs
from whatsapp.actions.calls import names
from whatsapp.actions.dispatch.registration import Action

# Names that the business's number and the customer have or had anywhere.
OTHER = {
    *("phoneNumberId", "phoneId", "phoneArn", "inboxPk", "phoneE164"),
    *("recipient", "fromNumber", "toNumber", "toPhone", "customerPhone", "contact", "participant"),
    *("testPhone", "from", "customer", "customerNumber", "waId"),
}
# A second id of a number that is registered, and the writer of the messages that are listed.
OF_THEIR_OWN = {("save_phone", "phoneArn"), ("get_messages", "fromNumber")}


@cache
def declared() -> list[Action]:
    return action_reference.actions()


def renamed() -> list[tuple[Action, str, list[str], dict[str, Any]]]:
    """Each parameter with other names, with a sample call that has it."""
    return [
        (action, name, others, _with(bodies()[action.name], name))
        for action in declared()
        for name, others in names.others_of(action.input_model).items()
    ]


def _with(body: dict[str, Any], name: str) -> dict[str, Any]:
    values = {
        "phone": "106540352242922",
        "to": "+447700900101",
        "body": "Read more",
        "configName": "razorpay_main",
        "footer": "Acme",
        "headerMediaId": "1234567890",
        "language": "en_US",
        "referenceId": "order-2026-0007",
        "messageId": "wamid.HBgMNDQ3NzAwOTAwMTAx",
        "metaWabaId": "102290129340398",
        "productRetailerId": "bike-7",
        "totalAmount": 100,
    }
    return body | {name: body.get(name, values[name])}


def parsed(action: Action, body: dict[str, Any]) -> object:
    """The parameters of a call, or the fields of its refusal."""
    try:
        return inputs.checked(body, action.input_model)
    except InvalidInput as refusal:
        return [(one["field"], one["problem"]) for one in refusal.problems]


@pytest.mark.long
def test_no_action_has_another_name_for_the_number_of_the_business_or_for_the_customer() -> None:
    found = {
        (action.name, name)
        for action in declared()
        for name, facts in action.input_model.model_json_schema().get("properties", {}).items()
        if name in OTHER and not facts.get("deprecated")
    }

    assert found == OF_THEIR_OWN


@pytest.mark.long
def test_actions_with_a_number_of_the_business_and_a_customer_take_them_as_phone_and_to() -> None:
    taken = {
        a.name: set(a.input_model.model_json_schema()["properties"])
        for a in declared()
        if a.input_model.model_fields
    }

    assert sum("phone" in one for one in taken.values()) > 100
    assert sum("to" in one for one in taken.values()) > 70
    assert {"phone", "phoneNumberId", "to", "recipient"} <= taken["send_text"]
    assert {"phone", "phoneId", "to", "fromNumber"} <= taken["get_conversation"]
    assert {"to", "customerPhone"} <= taken["get_payments"]


def test_a_parameter_is_accepted_under_each_of_its_names_with_the_same_meaning() -> None:
    for action, name, others, body in renamed():
        for other in others:
            moved = {other if key == name else key: value for key, value in body.items()}
            assert parsed(action, moved) == parsed(action, body), (action.name, other)
            both = body | {other: body[name]}
            assert parsed(action, both) == parsed(action, body), (action.name, other)


def test_different_values_under_two_names_are_refused_with_the_name_and_the_rule() -> None:
    for action, name, others, body in renamed():
        for other in others:
            found = parsed(action, body | {other: "+447700900199"})
            rule = f"is another name of {name}: must be given once, or with the same value"
            assert found == [(other, rule)], (action.name, other)


@pytest.mark.parametrize("name", ["to", "recipient"])
def test_a_wrong_value_is_named_as_the_call_names_it(name: str) -> None:
    (action,) = (one for one in declared() if one.name == "send_text")

    found = parsed(action, {"phone": "106540352242922", "text": "Hello", name: "another"})

    assert isinstance(found, list)
    assert [field for field, _ in found] == [name]


def test_a_missing_customer_is_named_to() -> None:
    (action,) = (one for one in declared() if one.name == "send_text")

    found = parsed(action, {"phone": "106540352242922", "text": "Hello"})

    assert isinstance(found, list)
    assert [field for field, _ in found] == ["to"]


@pytest.mark.long
def test_the_reference_lists_other_names_as_such() -> None:
    text = "".join(action_reference.pages(declared()).values())
    section = text.partition("## send_text\n")[2].partition("\n## ")[0]

    assert "another name of `to`" in section.partition("| recipient |")[2].partition("\n")[0]
    assert "another name of `phone`" in section.partition("| phoneNumberId |")[2].partition("\n")[0]
