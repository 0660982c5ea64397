"""Events of a whole account: their company, and the apps that may send them."""

from __future__ import annotations

from typing import Any

from tests.integration.whatsapp.conftest import APP, NOW, Desk, a_phone
from whatsapp import store
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.store.items import Phone

WABA = "102290129340398"


def reported(desk: Desk, *, waba: str = WABA, app: str = APP, source: str = "meta") -> Any:
    """Process one alert about an account."""
    entry = {
        "id": waba,
        "time": NOW // 1_000,
        "changes": [{"field": "security", "value": {"event": "PIN_CHANGED"}}],
    }
    (event,) = events_of({"entry": [entry]}, Delivery(source, app, NOW))
    return desk.handle(queue_entry(event).body)


def test_an_event_of_an_account_belongs_to_the_company_of_its_numbers(desk: Desk) -> None:
    handled = reported(desk)

    assert (handled.reason, handled.origin.company) == (None, "acme")
    (key,) = [key for key in desk.keys() if key.startswith("WEBHOOK#")]
    assert desk.item(key)["company"] == "acme"


def test_an_event_of_an_unknown_account_is_parked(desk: Desk) -> None:
    assert reported(desk, waba="999").reason == "unknown_account"


def test_an_event_of_an_app_without_a_number_in_the_account_is_parked(desk: Desk) -> None:
    assert reported(desk, app="another app").reason == "app_mismatch"
    assert reported(desk, app="", source="eum").reason == "app_mismatch"


def test_an_event_of_an_account_whose_numbers_are_all_disabled_is_parked(desk: Desk) -> None:
    store.phones.set_enabled(desk.resources.table, a_phone().phone, enabled=False)

    assert reported(desk).reason == "phone_disabled"


def test_a_number_is_found_in_the_account_in_any_spelling(desk: Desk) -> None:
    origin = reported(desk).origin

    assert origin.number_with("+1 555-078-3881").phone == "106540352242922"
    assert origin.number_with("15550000000") is None
    assert origin.number_with(None) is None


def test_a_number_listed_by_a_version_without_accounts_is_found(desk: Desk) -> None:
    desk.resources.table.update(
        {"pk": "CONFIG#PHONES"},
        put={
            "phones": [
                {name: value for name, value in entry.items() if name != "waba"}
                for entry in store.phones.listed(desk.resources.table)
            ]
        },
    )

    assert reported(desk).reason is None


def test_registering_again_keeps_what_the_provider_reported(desk: Desk) -> None:
    table = desk.resources.table
    table.update({"pk": Phone.key(a_phone().phone)}, put={"sendingBlocked": True})

    store.phones.register(table, a_phone(business_account_name="Acme"))

    assert desk.item(Phone.key(a_phone().phone))["sendingBlocked"] is True
