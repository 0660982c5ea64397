"""Events of a whole account: their company, and the apps that may send them."""

from __future__ import annotations

from typing import Any

from tests.integration.whatsapp.conftest import APP, NOW, Harness, a_phone
from whatsapp import store
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.store.items import Phone

WABA = "102290129340398"


def reported(harness: Harness, *, waba: str = WABA, app: str = APP, source: str = "meta") -> Any:
    """Process one alert about an account."""
    entry = {
        "id": waba,
        "time": NOW // 1_000,
        "changes": [{"field": "security", "value": {"event": "PIN_CHANGED"}}],
    }
    (event,) = events_of({"entry": [entry]}, Delivery(source, app, NOW))
    return harness.handle(queue_entry(event).body)


def test_an_event_of_an_account_belongs_to_the_company_of_its_numbers(harness: Harness) -> None:
    handled = reported(harness)

    assert (handled.reason, handled.origin.company) == (None, "acme")
    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(key)["company"] == "acme"


def test_an_event_of_an_unknown_account_is_parked(harness: Harness) -> None:
    assert reported(harness, waba="999").reason == "unknown_account"


def test_an_event_of_an_app_without_a_number_in_the_account_is_parked(harness: Harness) -> None:
    assert reported(harness, app="another app").reason == "app_mismatch"
    assert reported(harness, app="", source="eum").reason == "app_mismatch"


def test_an_event_of_an_account_whose_numbers_are_all_disabled_is_parked(harness: Harness) -> None:
    store.phones.set_enabled(harness.resources.table, a_phone().phone, enabled=False)

    assert reported(harness).reason == "phone_disabled"


def test_a_number_is_found_in_the_account_in_any_spelling(harness: Harness) -> None:
    origin = reported(harness).origin

    assert origin.number_with("+1 555-078-3881").phone == "106540352242922"
    assert origin.number_with("15550000000") is None
    assert origin.number_with(None) is None


def test_registering_again_keeps_what_the_provider_reported(harness: Harness) -> None:
    table = harness.resources.table
    table.update({"pk": Phone.key(a_phone().phone)}, put={"sendingBlocked": True})

    store.phones.register(table, a_phone(business_account_name="Acme"))

    assert harness.item(Phone.key(a_phone().phone))["sendingBlocked"] is True
