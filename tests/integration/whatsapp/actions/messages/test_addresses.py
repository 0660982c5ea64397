"""The address form."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, Actions
from whatsapp import store
from whatsapp.store.items.contacts.customers import Address, AddressDefault


def parameters(actions: Actions) -> Any:
    return actions.wire[-1].body["interactive"]["action"]["parameters"]  # type: ignore[index] # JSON


def save(actions: Actions, *names: str, company: str = "acme") -> None:
    """Store addresses of ADA; the last one is the default."""
    table = actions.harness.resources.table
    keys = [Address.key(ADA, name) for name in names]
    for key, name in zip(keys, names, strict=True):
        store.forms.add_address(
            table,
            Address(
                pk=key,
                company=company,
                customer_phone=ADA,
                address_id=name,
                name="Ada",
                address="Bridge Street 1",
                city="Mumbai",
                postal_code="400001" if name != "abroad" else "SW1A 1AA",
                created_at="2026-01-01T00:00:00.000Z",
                details={"floor_number": "3", "geo": "x"},
            ),
        )
    store.forms.replace_addresses(
        table,
        AddressDefault(
            pk=AddressDefault.key(ADA, "acme"),
            company="acme",
            address_pk=keys[-1],
            order="1",
            addresses=dict.fromkeys(keys, "1"),
            revision=1,
        ),
    )


def test_a_customer_is_asked_for_an_address(actions: Actions) -> None:
    values = {"name": "Ada", "in_pin_code": "400063"}
    errors = {"in_pin_code": "We do not deliver there."}
    saved = [{"id": "home", "value": values}]
    answer = actions.send(
        "send_address_message",
        {"values": values, "validationErrors": errors, "savedAddresses": saved, "footer": "Acme"},
    )

    assert answer.status == 200
    assert parameters(actions) == {
        "country": "IN",
        "values": values,
        "saved_addresses": saved,
        "validation_errors": errors,
    }
    assert actions.item(answer.result["messagePk"])["content"]["type"] == "address_message"


def test_stored_addresses_are_offered_the_default_one_first(actions: Actions) -> None:
    save(actions, "abroad", "home")
    actions.send("send_address_message", {})

    home, abroad = parameters(actions)["saved_addresses"]
    assert (home["id"], abroad["id"]) == ("home", "abroad")
    assert home["value"] == {
        "name": "Ada",
        "address": "Bridge Street 1",
        "city": "Mumbai",
        "in_pin_code": "400001",
        "floor_number": "3",
    }
    assert "in_pin_code" not in abroad["value"]


def test_an_empty_list_or_addresses_of_another_company_offer_none(actions: Actions) -> None:
    save(actions, "home", company="globex")
    actions.send("send_address_message", {})
    assert parameters(actions) == {"country": "IN"}

    actions.send("send_address_message", {"savedAddresses": []})
    assert parameters(actions) == {"country": "IN"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"country": "SG"}, "country"),
        ({"values": {"in_pin_code": "12345"}}, "values.in_pin_code"),
        ({"values": {"planet": "Mars"}}, "values.planet"),
        ({"body": "x" * 1_025}, "body"),
        ({"savedAddresses": [{"id": "a", "value": {}}] * 21}, "savedAddresses"),
    ],
)
def test_an_address_form_beyond_the_limits_is_refused(
    actions: Actions, body: dict[str, Any], field: str
) -> None:
    answer = actions.send("send_address_message", body)

    assert (answer.status, answer.fields, actions.wire) == (400, [field], [])
