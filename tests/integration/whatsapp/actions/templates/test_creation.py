"""Templates are checked, created once at the account's provider, and cached with the status that it gives."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import AWS_WABA, EUM_WABA, WABA, Actions
from tests.integration.whatsapp.actions.templates.catalogue import BODY, IMAGE, LINK, buttons
from whatsapp.store.items.register import CONTRACTED

if TYPE_CHECKING:
    from local.sandbox.state import Sent

CREATE = {"metaWabaId": WABA, "templateName": "spring_sale", "components": [BODY]}
META = {"metaWabaId": WABA, "name": "order_sent", "components": [BODY]}
EUM = {"wabaId": AWS_WABA, "name": "order_sent", "components": [BODY]}
LIST = "/{Version}/{WABA-ID}/message_templates"


def body_of(sent: Sent) -> dict[str, Any]:
    """The JSON object of a request."""
    assert isinstance(sent.body, dict)
    return sent.body


def forget_answers(actions: Actions) -> None:
    """Remove the stored answers, as a day does."""
    table = actions.harness.resources.table.name
    for key in actions.harness.keys():
        if key.startswith("IDEMPOTENCY#"):
            actions.harness.dynamodb.delete_item(TableName=table, Key={"pk": {"S": key}})


def test_a_template_is_created_at_graph_and_cached_with_its_status(actions: Actions) -> None:
    answer = actions.run("create_marketing_template", CREATE, key="key-create-1")

    assert answer.result["status"] == "PENDING"
    (sent,) = actions.wire
    assert wire.problems(sent, "POST", LIST) == []
    assert sent.body == {
        "name": "spring_sale",
        "language": "en_US",
        "category": "MARKETING",
        "components": [BODY],
    }
    item = actions.item(f"TEMPLATE_META#{WABA}#spring_sale")
    assert (item["status"], item["category"], item["language"]) == (
        "PENDING",
        "MARKETING",
        "en_US",
    )
    assert item["templateId"] == answer.result["id"]
    assert (item["wabaMetaId"], item["company"]) == (WABA, "acme")
    assert "cachedAt" in item
    translation = actions.item(f"TEMPLATE_META#{WABA}#spring_sale#en_US")
    assert translation["components"] == [BODY]


def test_the_same_key_creates_once_even_after_its_answer_expired(actions: Actions) -> None:
    first = actions.run("create_marketing_template", CREATE, key="key-create-1")
    again = actions.run("create_marketing_template", CREATE, key="key-create-1")
    forget_answers(actions)
    later = actions.run("create_marketing_template", CREATE, key="key-create-1")
    other = actions.run(
        "create_marketing_template", {**CREATE, "templateName": "b"}, key="key-create-1"
    )

    assert (again.result, again.body["replayed"]) == (first.result, True)
    assert later.result["id"] == first.result["id"]
    assert [one.operation for one in actions.wire] == ["create_template", "get_template"]
    assert other.status == 409


def test_a_lost_answer_is_in_doubt_and_nothing_is_created_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="create_template", kind="lost_answer")

    answer = actions.run("create_marketing_template", CREATE, key="key-create-1")
    again = actions.run("create_marketing_template", CREATE, key="key-create-1")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert again.status in {202, 409}
    assert len(actions.sandbox.templates) == 1
    assert not actions.item(f"TEMPLATE_META#{WABA}#spring_sale")


@pytest.mark.parametrize(("status", "answered"), [(429, 429), (400, 422), (500, 202)])
def test_failures_of_the_provider_create_nothing(
    actions: Actions, status: int, answered: int
) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="create_template", kind="status", status=status
    )

    answer = actions.run("create_marketing_template", CREATE)

    assert answer.status == answered
    assert not actions.item(f"TEMPLATE_META#{WABA}#spring_sale")


def test_a_template_is_created_at_aws_and_cached_in_both_caches(actions: Actions) -> None:
    actions.register_eum()
    body = {**EUM, "ttlSeconds": 60, "language": "de"}

    answer = actions.run("eum_create_template", body)

    (sent,) = actions.wire
    body_sent = body_of(sent)
    assert sent.operation == "CreateWhatsAppMessageTemplate"
    assert body_sent["id"] == AWS_WABA
    assert body_sent["templateDefinition"]["message_send_ttl_seconds"] == 60
    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#order_sent#de")
    own = {
        "wabaId": AWS_WABA,
        "templateName": "order_sent",
        "metaTemplateId": answer.result["id"],
        "templateStatus": "PENDING",
        "templateCategory": "UTILITY",
        "templateLanguage": "de",
        "messageSendTtlSeconds": 60,
    }
    assert {name: item[name] for name in own} == own
    assert item["components"] == [BODY]
    assert item["cachedAt"]
    assert actions.item(f"TEMPLATE_META#{EUM_WABA}#order_sent")["status"] == "PENDING"


def test_the_provider_of_the_account_decides_where_a_marketing_template_is_created(
    actions: Actions,
) -> None:
    actions.register_eum()

    actions.run("create_marketing_template", {**CREATE, "metaWabaId": EUM_WABA})

    assert [one.operation for one in actions.wire] == ["CreateWhatsAppMessageTemplate"]


def test_named_variables_and_a_change_of_category_are_passed_on(actions: Actions) -> None:
    named = {
        "type": "BODY",
        "text": "Hello {{name}}",
        "example": {"body_text_named_params": [{"param_name": "name", "example": "Ada"}]},
    }
    body = {
        **META,
        "components": [named],
        "parameterFormat": "named",
        "allowCategoryChange": True,
        "ttlSeconds": 600,
    }

    actions.run("create_template_meta", body)

    (sent,) = actions.wire
    assert wire.problems(sent, "POST", LIST) == []
    assert body_of(sent)["parameter_format"] == "named"
    assert body_of(sent)["allow_category_change"] is True
    assert body_of(sent)["message_send_ttl_seconds"] == 600


def of_body(**facts: Any) -> list[dict[str, Any]]:
    return [{"type": "BODY", **facts}]


CARD = {"components": [IMAGE, {"type": "BODY", "text": "Hi"}, buttons(LINK)]}
LONG: dict[str, Any] = copy.deepcopy(CARD)
LONG["components"][1]["text"] = "x" * 161
LONG_OFFER = {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "x" * 17}}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"components": []}, "components"),
        ({"components": [{"type": "FOOTER", "text": "x"}]}, "components"),
        ({"components": of_body(text="x" * 1_025)}, "components.0.text"),
        ({"components": of_body(text="{{1}}")}, "components.0.example"),
        ({"components": of_body(text="{{2}}", example={"body_text": [["a"]]})}, "components.0.text"),
        ({"components": of_body(text="{{name}}", example={"body_text": [["a"]]})}, "components.0.text"),
        ({"components": [BODY, BODY]}, "components.1.type"),
        ({"components": [BODY, {"text": "x"}]}, "components.1.type"),
        ({"components": [BODY, {"type": "FOOTER", "text": "x" * 61}]}, "components.1.text"),
        ({"components": [BODY, {"type": "FOOTER", "text": "{{1}}"}]}, "components.1.text"),
        ({"components": [BODY, {"type": "HEADER", "format": "TEXT", "text": "x" * 61}]}, "components.1.text"),
        ({"components": [BODY, {"type": "HEADER", "format": "IMAGE"}]}, "components.1.example.header_handle"),
        ({"components": [BODY, buttons(*[{"type": "QUICK_REPLY", "text": "a"}] * 11)]}, "components.1.buttons"),
        ({"components": [BODY, buttons({"type": "QUICK_REPLY", "text": "x" * 26})]}, "components.1.buttons.0.text"),
        ({"components": [BODY, buttons({"type": "URL", "url": "https://a/{{1}}"})]}, "components.1.buttons.0.example"),
        ({"components": [BODY, {"type": "CAROUSEL", "cards": [CARD]}]}, "components.1.cards"),
        ({"components": [BODY, {"type": "CAROUSEL", "cards": [CARD, LONG]}]}, "components.1.cards.1.components.1.text"),
        ({"components": [BODY, LONG_OFFER]}, "components.1.limited_time_offer.text"),
        ({"templateType": "coupon"}, "components"),
        ({"templateType": "carousel"}, "components"),
        ({"ttlSeconds": 60}, "ttlSeconds"),
        ({"category": "AUTHENTICATION", "ttlSeconds": 901}, "ttlSeconds"),
        ({"templateName": "Spring Sale"}, "templateName"),
        ({"language": "english"}, "language"),
        ({"category": "OFFERS"}, "category"),
    ],
)  # fmt: skip
def test_a_definition_that_breaks_a_rule_is_refused_with_its_place(
    actions: Actions, change: dict[str, Any], field: str
) -> None:
    answer = actions.run("create_marketing_template", {**CREATE, **change})

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert field in answer.fields
    assert actions.wire == []


def test_a_definition_for_aws_has_at_most_6000_bytes(actions: Actions) -> None:
    actions.register_eum()
    url = {"type": "URL", "text": "a", "url": "https://acme.example/" + "x" * 1_900}

    answer = actions.run("eum_create_template", {**EUM, "components": [BODY, buttons(*[url] * 4)]})

    assert (answer.status, answer.fields) == (400, ["components"])
    assert actions.wire == []


def test_components_too_large_for_an_item_are_stored_as_an_object(actions: Actions) -> None:
    url = {"type": "URL", "text": "a", "url": "https://acme.example/" + "x" * 1_900}
    cards = [{"components": [IMAGE, buttons(url, url)]} for _ in range(10)]
    components = [BODY, {"type": "CAROUSEL", "cards": cards}]

    actions.run("create_marketing_template", {**CREATE, "components": components})

    item = actions.item(f"TEMPLATE_META#{WABA}#spring_sale#en_US")
    assert item["componentsObject"]["key"].startswith("templates/acme/")
    assert "components" not in item
    listed = actions.run("get_local_templates", {"metaWabaId": WABA}).result["templates"]
    assert listed[0]["components"] == components


def test_an_account_that_is_not_at_aws_or_not_on_graph_is_not_configured(actions: Actions) -> None:
    at_aws = {"metaWabaId": WABA, "name": "order_sent", "components": [BODY]}
    assert actions.run("eum_create_template", at_aws).error == "not_configured"
    actions.register_eum(token_ref=None)
    on_graph = {**META, "metaWabaId": EUM_WABA}
    assert actions.run("create_template_meta", on_graph).error == "not_configured"
    both = {**EUM, "metaWabaId": EUM_WABA}
    assert actions.run("eum_create_template", both).status == 400


def test_every_attribute_of_the_contract_is_written(actions: Actions) -> None:
    actions.register_eum()
    actions.run("eum_create_template", EUM)
    for one in actions.sandbox.templates:
        one["quality_score"] = "GREEN"
    actions.run("eum_sync_templates", {"wabaId": AWS_WABA})

    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#order_sent#en_US")
    (kind,) = (one for one in CONTRACTED if one.__name__ == "TemplateEum")
    names = {kind.name_of(field) for field in list(kind.model_fields)[3:14]}
    assert names <= item.keys()
    assert {"cachedAt", "syncedAt", "qualityScore"} <= names
