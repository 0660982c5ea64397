"""An empty text is no absent parameter: each action refuses it, or gives it the meaning that its page states."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from whatsapp.actions.dispatch import catalogue

# The parameters that an empty text changes, as their models state.
WITH_MEANING = {
    ("ProfileData", "address"), ("ProfileData", "description"), ("ProfileData", "email"), ("SendReaction", "emoji"),
    # A webhook's body may be empty, and is signed all the same.
    ("Signed", "payload"), ("Signed", "body"), ("SecureWebhook", "body"),
}  # fmt: skip


# Optional lists and objects that may be empty. An empty one replaces what there is by nothing ...
REPLACED_BY_NOTHING = {
    ("ButtonInput", "supported_apps"), ("CallHours", "holiday_schedule"), ("CustomizeTemplate", "buttons"),
    ("ProfileData", "websites"), ("SetAutomation", "commands"), ("SetAutomation", "prompts"),
    ("RecipientRow", "components"), ("RecipientRow", "body_params"),
}  # fmt: skip
# ... or is what a call without it has as well, such as a template without values,
SAME_AS_ABSENT = {
    "body_fields",
    *("body_inputs", "body_params", "button_inputs", "button_params", "data", "flow_action_payload", "headers"),
    *("items", "participants", "provider_data", "saved_addresses", "screen_data", "validation_errors", "values"),
}  # fmt: skip
# ... or is judged as content by the rules of its format.
JUDGED = {"address", "components", "currency", "date_time", "flow_json"}


def takes(field: Any, empty: object) -> bool:
    try:
        TypeAdapter(Annotated[field.annotation, *field.metadata, "field"]).validate_python(empty)
    except ValidationError:
        return False
    return True


def models_of(model: Any, found: set[Any]) -> set[Any]:
    """A model and the models of its fields."""
    if model not in found:
        found.add(model)
        for field in model.model_fields.values():
            for part in _parts(field.annotation):
                if hasattr(part, "model_fields"):
                    models_of(part, found)
    return found


def _parts(annotation: Any) -> list[Any]:
    annotation = getattr(annotation, "__value__", annotation)
    inner = [part for one in getattr(annotation, "__args__", ()) for part in _parts(one)]
    return [annotation, *inner]


@pytest.mark.long
def test_an_empty_text_is_refused_unless_it_has_a_meaning() -> None:
    models: set[Any] = set()
    for action in catalogue.all_actions():
        models_of(action.input_model, models)
    taken = {
        (model.__name__, name)
        for model in models
        for name, field in model.model_fields.items()
        if takes(field, "")
    }

    assert len(models) > 200
    assert taken == WITH_MEANING


@pytest.mark.long
def test_an_empty_list_or_object_never_stands_for_all_or_for_a_default() -> None:
    models: set[Any] = set()
    for action in catalogue.all_actions():
        models_of(action.input_model, models)
    taken = {
        (model.__name__, name)
        for model in models
        for name, field in model.model_fields.items()
        if not field.is_required() and (takes(field, []) or takes(field, {}))
    }

    unknown = {one for one in taken - REPLACED_BY_NOTHING if one[1] not in SAME_AS_ABSENT | JUDGED}
    assert unknown == set()
    assert taken >= REPLACED_BY_NOTHING


@pytest.mark.parametrize("own", [{"components": []}, {"bodyParams": []}])
def test_empty_values_of_a_row_are_not_replaced_by_those_of_its_campaign(
    own: dict[str, Any],
) -> None:
    from tests.unit.whatsapp.actions.test_campaigns import a_campaign  # noqa: PLC0415 - only here
    from whatsapp.actions.campaigns.pages import outcomes  # noqa: PLC0415 - only here

    values = [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}]
    campaign = a_campaign(None).model_copy(
        update={
            "kind": "template",
            "template_name": "bike_ready",
            "language": "en",
            "components": values,
        }
    )
    assert "components" not in outcomes._draft(campaign, {"to": "+1", **own}).content
    assert outcomes._draft(campaign, {"to": "+1"}).content["components"] == values
