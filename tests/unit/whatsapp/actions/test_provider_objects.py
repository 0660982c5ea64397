"""Objects of the provider are shown as its documents describe them, also if it sends other types."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import each
from tests.integration.logs import recorded
from whatsapp.actions.calls.provider_objects import (
    CallSettingsView,
    FormError,
    HealthStatus,
    MetaReport,
    ProviderPayment,
    SubscribedApps,
)
from whatsapp.actions.templates.provider_objects import TemplateComponent, TemplatePoint

if TYPE_CHECKING:
    from whatsapp.api.provider_objects import ProviderObject


def shown(model: type[ProviderObject], value: Any) -> Any:
    return model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_none=True)


@each(
    ("model", "value"),
    [
        (
            HealthStatus,
            {
                "can_send_message": "BLOCKED",
                "entities": [
                    {
                        "entity_type": "WABA",
                        "id": "1",
                        "can_send_message": "BLOCKED",
                        "errors": [{"error_code": 141006, "error_description": "No payment"}],
                    }
                ],
            },
        ),
        (SubscribedApps, {"data": [{"whatsapp_business_api_data": {"id": "1", "name": "App"}}]}),
        (MetaReport, {"data": [{"data_points": [{"start": 1, "end": 2, "cost": 0.5}]}]}),
        (ProviderPayment, {"reference_id": "a", "amount": {"value": 100, "offset": 100}}),
        (FormError, {"error": "INVALID", "line_start": 3, "pointers": [{"path": "screens"}]}),
        (
            CallSettingsView,
            {"callEnabled": True, "callHours": {"weeklyOperatingHours": [{"dayOfWeek": "MONDAY"}]}},
        ),
        (
            TemplateComponent,
            {
                "type": "CAROUSEL",
                "cards": [{"components": [{"type": "BODY", "example": {"body_text": [["a"]]}}]}],
            },
        ),
        (TemplatePoint, {"template_id": "1", "clicked": [{"type": "url_button", "count": 2}]}),
    ],
)
def test_an_object_is_shown_unchanged_with_fields_that_are_not_described(
    model: type[ProviderObject], value: dict[str, Any]
) -> None:
    coming = {**value, "coming": {"a": [1, "b", None]}}

    assert shown(model, coming) == coming


@pytest.mark.parametrize(
    ("model", "value", "left"),
    [
        (
            HealthStatus,
            {"can_send_message": "LIMITED", "entities": "none"},
            {"can_send_message": "LIMITED"},
        ),
        (MetaReport, {"granularity": "DAY", "data_points": [1]}, {"granularity": "DAY"}),
        (CallSettingsView, {"callEnabled": "perhaps", "other": 1}, {"other": 1}),
        (TemplateComponent, {"type": "BODY", "buttons": {"type": "URL"}}, {"type": "BODY"}),
        (
            ProviderPayment,
            {"status": "captured", "amount": {"value": "a lot", "offset": 100}},
            {"status": "captured", "amount": {"offset": 100}},
        ),
    ],
)
def test_a_described_field_of_another_type_is_left_out_and_named_in_the_log(
    model: type[ProviderObject],
    value: dict[str, Any],
    left: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = recorded(monkeypatch)

    assert shown(model, value) == left
    assert "fields of the provider have other types" in log.getvalue()
    assert "perhaps" not in log.getvalue()
    assert "a lot" not in log.getvalue()


def test_numbers_of_stored_objects_are_numbers_and_ids_are_texts() -> None:
    stored = {"type": "BODY", "code_expiration_minutes": Decimal(10), "coming": Decimal("1.5")}

    assert shown(TemplateComponent, stored) == {
        **stored,
        "code_expiration_minutes": 10,
        "coming": 1.5,
    }
    assert shown(TemplatePoint, {"template_id": 77, "sent": 3}) == {"template_id": "77", "sent": 3}


def test_the_health_of_aws_has_the_names_of_meta() -> None:
    entity = {"entityType": "FLOW", "id": "1", "canSendMessage": "AVAILABLE"}
    found = HealthStatus.of_aws({"canSendMessage": "AVAILABLE", "entities": [entity]})

    assert HealthStatus.of_aws(None) is None
    assert found is not None
    assert shown(HealthStatus, found) == {
        "can_send_message": "AVAILABLE",
        "entities": [{"entity_type": "FLOW", "id": "1", "can_send_message": "AVAILABLE"}],
    }
