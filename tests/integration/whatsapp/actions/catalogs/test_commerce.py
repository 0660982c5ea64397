"""Commerce settings of numbers."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.conftest import PHONE, a_phone
from whatsapp import store

OURS = {"phoneNumberId": PHONE}
TEMPLATE = "/{Version}/{Phone-Number-ID}/whatsapp_commerce_settings"


def test_settings_are_read_at_the_provider(actions: Actions) -> None:
    answer = actions.run("get_commerce_settings", OURS)

    assert answer.result == {"isCartEnabled": True, "isCatalogVisible": False}
    assert wire.problems(actions.wire[0], "GET", TEMPLATE) == []


def test_settings_are_changed_at_the_provider_and_then_stored(actions: Actions) -> None:
    answer = actions.run("update_commerce_settings", OURS | {"isCartEnabled": False})

    assert answer.result == {"isCartEnabled": False}
    (sent,) = actions.wire
    assert sent.query == {"is_cart_enabled": "false"}
    assert wire.problems(sent, "POST", TEMPLATE) == []
    phone = actions.item(f"PHONE#{PHONE}")
    assert (phone["isCartEnabled"], "isCatalogVisible" in phone) == (False, False)
    assert actions.run("get_commerce_settings", OURS).result["isCartEnabled"] is False


def test_settings_stay_when_the_number_is_registered_again(actions: Actions) -> None:
    actions.run("update_commerce_settings", OURS | {"isCatalogVisible": True})
    store.phones.register(actions.harness.resources.table, a_phone())

    assert actions.item(f"PHONE#{PHONE}")["isCatalogVisible"] is True


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (500, "provider_unavailable")])
def test_a_failed_change_is_not_stored(actions: Actions, status: int, code: str) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="set_commerce_settings", kind="status", status=status, times=3
    )

    answer = actions.run("update_commerce_settings", OURS | {"isCartEnabled": False})

    assert answer.error == code
    assert "isCartEnabled" not in actions.item(f"PHONE#{PHONE}")


@pytest.mark.parametrize(
    "body", [{}, {"isCartEnabled": "yes"}, {"isCartEnabled": 1}, {"cart": True}]
)
def test_bad_input_is_refused(actions: Actions, body: dict[str, Any]) -> None:
    assert actions.run("update_commerce_settings", OURS | body).error == "invalid_input"
    assert actions.wire == []
