"""Addresses of customers: saved, listed, deleted, checked, and parsed again from answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE

HOME = {
    "name": "Ada", "phoneNumber": "9876543210", "address": "1 High Street", "city": "Pune", "state": "MH",
    "postalCode": "411001", "country": "IN", "landmarkArea": "by the park",
}  # fmt: skip
CUSTOMER = {"customerPhone": f"+{ADA}"}


def save(actions: Actions, address: dict[str, str] = HOME, **more: Any) -> Any:
    return actions.run("save_address", {**CUSTOMER, "address": address, **more})


def listed(actions: Actions, action: str = "get_saved_addresses") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = actions.run(action, CUSTOMER).result["addresses"]
    return found


def test_a_saved_address_has_all_attributes(actions: Actions) -> None:
    result = save(actions, isDefault=True, addressLabel="home").result

    item = actions.item(f"ADDRESS#{ADA}#{result['addressId']}")
    assert {name: item[name] for name in ("itemType", "company", "customerPhone", "isDefault")} == {
        "itemType": "ADDRESS", "company": "acme", "customerPhone": ADA, "isDefault": True,
    }  # fmt: skip
    contracted = {name: text for name, text in HOME.items() if name != "landmarkArea"}
    assert {name: item[name] for name in contracted} == contracted
    assert item["details"] == {"landmark_area": "by the park", "label": "home"}
    assert listed(actions) == [result]


def test_a_new_default_replaces_the_old_one(actions: Actions) -> None:
    first = save(actions, isDefault=True).result["addressId"]
    second = save(actions, {**HOME, "address": "2 Low Street"}, isDefault=True).result["addressId"]

    assert actions.item(f"ADDRESS#{ADA}#{first}")["isDefault"] is False
    assert actions.item(f"ADDRESS#{ADA}#DEFAULT#acme")["addressPk"] == f"ADDRESS#{ADA}#{second}"
    assert [each["isDefault"] for each in listed(actions)] == [True, False]


def test_an_address_is_replaced_by_its_id_and_saved_once(actions: Actions) -> None:
    address_id = save(actions).result["addressId"]
    save(actions)
    save(actions, {**HOME, "city": "Delhi"}, addressId=address_id)

    assert [(e["addressId"], e["city"]) for e in listed(actions)] == [(address_id, "Delhi")]
    assert save(actions, addressId="other").status == 404


def test_a_customer_has_at_most_twenty_addresses(actions: Actions) -> None:
    for number in range(20):
        assert save(actions, {**HOME, "address": f"{number} High Street"}).status == 200

    full = save(actions, {**HOME, "address": "21 High Street"})
    assert (full.status, full.error) == (409, "state_conflict")
    page = actions.run("get_customer_addresses", {**CUSTOMER, "limit": 15})
    rest = actions.run(
        "get_customer_addresses", {**CUSTOMER, "limit": 15, "cursor": page.body["cursor"]}
    )
    assert (len(page.result["addresses"]), len(rest.result["addresses"])) == (15, 5)


def test_a_deleted_default_leaves_no_pointer(actions: Actions) -> None:
    address_id = save(actions, isDefault=True).result["addressId"]
    body = {**CUSTOMER, "addressId": address_id}
    deleted = actions.run("delete_saved_address", body)

    assert deleted.result == {"addressId": address_id, "wasDefault": True}
    assert (listed(actions), actions.item(f"ADDRESS#{ADA}#{address_id}")) == ([], {})
    assert "addressPk" not in actions.item(f"ADDRESS#{ADA}#DEFAULT#acme")
    assert actions.run("delete_saved_address", body).status == 404


def test_another_company_sees_and_changes_no_address(actions: Actions) -> None:
    address_id = save(actions).result["addressId"]
    body = {**CUSTOMER, "addressId": address_id}

    assert actions.run("delete_saved_address", body, caller=GLOBEX).status == 404
    found = actions.run("get_saved_addresses", CUSTOMER, caller=GLOBEX)
    assert found.result == {"addresses": []}


@pytest.mark.parametrize(
    ("change", "country", "fields"),
    [
        ({}, "IN", []),
        ({"phoneNumber": "+91 98765 43210"}, "IN", []),
        ({"postalCode": "011001"}, "IN", ["postalCode"]),
        ({"postalCode": "41100"}, "IN", ["postalCode"]),
        ({"phoneNumber": "123"}, "IN", ["phoneNumber"]),
        ({"name": "", "state": " "}, "IN", ["name", "state"]),
        ({"postalCode": "SW1A 1AA", "state": ""}, "other", []),
        ({"city": ""}, "other", ["city"]),
    ],
)
def test_an_address_is_checked_by_its_country(
    actions: Actions, change: dict[str, str], country: str, fields: list[str]
) -> None:
    body = {"address": {**HOME, **change}, "country": country}
    result = actions.run("validate_address", body).result

    assert [each["field"] for each in result["problems"]] == fields
    assert result["valid"] is not bool(fields)


def answer(actions: Actions, values: dict[str, str] | None) -> str:
    response = json.dumps({"values": values} if values else {})
    reply = {"name": "address_message", "body": "sent", "response_json": response}
    message = {
        "id": "wamid.address",
        "from": ADA,
        "timestamp": str(NOW // 1000 - 60),
        "type": "interactive",
        "interactive": {"type": "nfm_reply", "nfm_reply": reply},
    }
    actions.harness.take({"messages": [message]})
    return "wamid.address"


def test_an_answer_is_parsed_again_once(actions: Actions) -> None:
    message = answer(actions, {"name": "Ada", "in_pin_code": "411001", "address": "1 High Street"})
    (stored,) = listed(actions)
    actions.run("delete_saved_address", {**CUSTOMER, "addressId": stored["addressId"]})
    body = {"messageId": message, "from": f"+{ADA}"}
    results = [actions.run("process_address_response", body).result for _ in range(2)]

    assert results[0] == results[1]
    assert [each["postalCode"] for each in listed(actions)] == ["411001"]


def test_the_address_of_the_call_counts_if_the_message_holds_none(actions: Actions) -> None:
    body: dict[str, Any] = {"messageId": answer(actions, None)}
    empty = actions.run("process_address_response", body)
    assert (empty.status, empty.error) == (409, "state_conflict")

    given = actions.run("process_address_response", body | {"address": HOME})
    other = {**HOME, "city": "Delhi"}
    again = actions.run("process_address_response", body | {"address": other})
    assert given.result == again.result
    assert len(listed(actions)) == 1


def test_a_message_of_another_company_holds_no_address(actions: Actions) -> None:
    body = {"messageId": "wamid.ada.1"}

    assert actions.run("process_address_response", body, caller=GLOBEX).status == 404
    foreign = actions.run("process_address_response", body | {"from": "+447700900555"})
    assert (foreign.status, PHONE in str(foreign.body)) == (404, False)
