"""The library is searched at both providers, and templates are created from it once."""

from __future__ import annotations

import pytest

from tests.integration.whatsapp.actions.conftest import AWS_WABA, EUM_WABA, GLOBEX, WABA, Actions

META = {"metaWabaId": WABA}
EUM = {"wabaId": AWS_WABA}


@pytest.fixture(autouse=True)
def _library(actions: Actions) -> None:
    for number, (name, topic) in enumerate(
        [("delivery_failed", "ORDER_MANAGEMENT"), ("payment_due", "PAYMENTS"), ("delivery_done", "ORDER_MANAGEMENT")]
    ):  # fmt: skip
        actions.sandbox.objects["library_templates"][name] = {
            "id": str(500 + number),
            "name": name,
            "language": "en_US",
            "category": "UTILITY",
            "topic": topic,
            "usecase": "ANY",
            "industry": ["E_COMMERCE"],
            "body": "Hello {{1}}",
            "body_params": ["Ada"],
        }


def test_the_library_of_graph_is_searched(actions: Actions) -> None:
    body = {**META, "searchKey": "delivery", "topic": "ORDER_MANAGEMENT", "limit": 1}

    first = actions.run("get_template_library", body)
    second = actions.run("get_template_library", {**body, "cursor": first.body["cursor"]})

    shown = [one["name"] for page in (first, second) for one in page.result["templates"]]
    assert shown == ["delivery_failed", "delivery_done"]
    sent = actions.wire[0]
    assert sent.path == "/v23.0/message_template_library"
    assert sent.query == {"search": "delivery", "topic": "ORDER_MANAGEMENT", "limit": "1"}
    assert "after" in actions.wire[1].query
    none = actions.run("get_template_library", {**META, "category": "MARKETING"})
    assert none.result["templates"] == []
    assert actions.run("get_template_library", META, caller=GLOBEX).status == 404


@pytest.mark.parametrize("action", ["eum_list_template_library", "get_template_library"])
def test_the_library_at_aws_is_searched(actions: Actions, action: str) -> None:
    actions.register_eum()
    body = {"metaWabaId": EUM_WABA, "searchKey": "delivery", "language": "en_US", "limit": 1}

    first = actions.run(action, body)
    second = actions.run(action, {**body, "cursor": first.body["cursor"]})

    shown = [one["name"] for page in (first, second) for one in page.result["templates"]]
    assert shown == ["delivery_failed", "delivery_done"]
    assert actions.wire[0].operation == "ListWhatsAppTemplateLibrary"
    assert actions.wire[0].query == {"id": AWS_WABA}
    assert actions.wire[0].body == {
        "filters": {"searchKey": "delivery", "language": "en_US"},
        "maxResults": 1,
    }


def test_a_template_is_created_from_the_library_at_graph(actions: Actions) -> None:
    body = {
        **META,
        "templateName": "delivery_failed",
        "customName": "our_delivery",
        "buttonInputs": [
            {"type": "URL", "url": {"baseUrl": "https://a.example/{{1}}", "urlSuffixExample": "a"}}
        ],
        "bodyInputs": {"addTrackPackageLink": True},
    }

    answer = actions.run("use_library_template", body, key="key-library-1")
    again = actions.run("use_library_template", body, key="key-library-1")

    assert again.result == answer.result
    assert [one.operation for one in actions.wire] == ["create_template", "get_template"]
    sent = actions.wire[0]
    assert sent.path == f"/v23.0/{WABA}/message_templates"
    assert sent.body == {
        "name": "our_delivery",
        "language": "en_US",
        "category": "UTILITY",
        "library_template_name": "delivery_failed",
        "library_template_button_inputs": [
            {
                "type": "URL",
                "url": {"base_url": "https://a.example/{{1}}", "url_suffix_example": "a"},
            }
        ],
        "library_template_body_inputs": {"add_track_package_link": True},
    }
    item = actions.item(f"TEMPLATE_META#{WABA}#our_delivery#en_US")
    assert item["components"][0]["text"] == "Hello {{1}}"


@pytest.mark.parametrize(
    "which", [{"libraryTemplateName": "payment_due"}, {"libraryTemplateId": "501"}]
)
def test_a_template_is_created_from_the_library_at_aws(
    actions: Actions, which: dict[str, str]
) -> None:
    actions.register_eum()
    body = {
        **EUM,
        **which,
        "name": "our_payment",
        "buttonInputs": [
            {
                "type": "OTP",
                "otpType": "ONE_TAP",
                "zeroTapTermsAccepted": True,
                "supportedApps": [{"packageName": "com.acme", "signatureHash": "K8a"}],
            }
        ],
        "bodyInputs": {"codeExpirationMinutes": 5},
    }

    answer = actions.run("eum_create_from_library", body)

    operation = "CreateWhatsAppMessageTemplateFromLibrary"
    (sent,) = (one for one in actions.wire if one.operation == operation)
    assert sent.body == {
        "id": AWS_WABA,
        "metaLibraryTemplate": {
            "templateName": "our_payment",
            "libraryTemplateName": "payment_due",
            "templateCategory": "UTILITY",
            "templateLanguage": "en_US",
            "libraryTemplateButtonInputs": [
                {
                    "type": "OTP",
                    "otpType": "ONE_TAP",
                    "zeroTapTermsAccepted": True,
                    "supportedApps": [{"package_name": "com.acme", "signature_hash": "K8a"}],
                }
            ],
            "libraryTemplateBodyInputs": {"codeExpirationMinutes": 5},
        },
    }
    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#our_payment#en_US")
    assert (item["templateStatus"], item["metaTemplateId"]) == ("PENDING", answer.result["id"])


def test_a_library_template_is_named_once_and_must_exist(actions: Actions) -> None:
    actions.register_eum()
    body = {**EUM, "name": "our_payment"}

    neither = actions.run("eum_create_from_library", body)
    unknown = actions.run("eum_create_from_library", {**body, "libraryTemplateId": "9"})
    refused = actions.run("use_library_template", {**META, "templateName": "never"})
    others = actions.run("use_library_template", {**META, "templateName": "a"}, caller=GLOBEX)

    assert (neither.status, unknown.status, refused.status, others.status) == (400, 404, 422, 404)
    assert actions.sandbox.templates == []
