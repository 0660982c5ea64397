"""Messages of templates: their values come from the definition, their category from the provider."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE, EUM_WABA, GLOBEX, Actions
from tests.integration.whatsapp.actions.templates.catalogue import (
    BODY,
    IMAGE,
    LINK,
    QUICK,
    at_aws,
    buttons,
    listed,
)
from tests.integration.whatsapp.conftest import NOW, text

SALE = {"templateName": "spring_sale"}
MESSAGES = {"send_message", "send_marketing_message", "SendWhatsAppMessage"}
CODE = "739415"
FILE = {"headerMediaId": "1"}
TWICE = {"title": "A", "product_items": [{"product_retailer_id": "a"}] * 2}


def sent(actions: Actions) -> list[Any]:
    return [one for one in actions.wire if one.operation in MESSAGES]


def components(actions: Actions) -> list[dict[str, Any]]:
    (message,) = sent(actions)
    found: list[dict[str, Any]] = message.body["template"]["components"]
    return found


def test_a_marketing_message_takes_the_kind_of_its_header_from_the_template(
    actions: Actions,
) -> None:
    listed(actions.sandbox, IMAGE, BODY, buttons(QUICK, LINK))
    body = {
        **SALE,
        "headerMediaLink": "https://acme.example/sale.jpg",
        "bodyParams": ["Ada", "10%"],
        "buttonParams": [{"index": 1, "urlSuffix": "sale"}, {"index": 0, "payload": "stop"}],
    }
    answer = actions.send("send_marketing_message", body, key="key-sale-1")

    assert answer.result["state"] == "sent"
    assert components(actions) == [
        {
            "type": "header",
            "parameters": [{"type": "image", "image": {"link": "https://acme.example/sale.jpg"}}],
        },
        {
            "type": "body",
            "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "10%"}],
        },
        {
            "type": "button",
            "sub_type": "quick_reply",
            "index": "0",
            "parameters": [{"type": "payload", "payload": "stop"}],
        },
        {
            "type": "button",
            "sub_type": "url",
            "index": "1",
            "parameters": [{"type": "text", "text": "sale"}],
        },
    ]
    assert sent(actions)[0].operation == "send_message"
    assert actions.item(answer.result["messagePk"])["template"] == "spring_sale"
    again = actions.send("send_marketing_message", body, key="key-sale-1")
    assert again.body["replayed"] is True
    assert len(sent(actions)) == 1


def test_an_onboarded_number_sends_marketing_through_its_own_api(actions: Actions) -> None:
    actions.register(marketing_messages=True)
    listed(actions.sandbox, BODY)
    listed(actions.sandbox, BODY, name="order_sent", category="UTILITY")

    actions.send("send_marketing_message", {**SALE, "bodyParams": ["Ada", "10%"]})
    actions.send(
        "send_utility_template", {"templateName": "order_sent", "bodyParams": ["Ada", "1"]}
    )

    first, second = sent(actions)
    assert (first.operation, second.operation) == ("send_marketing_message", "send_message")
    assert first.path == "/v23.0/106540352242922/marketing_messages"
    problems = wire.problems(first, "POST", "/{Version}/{Phone-Number-ID}/marketing_messages")
    # Meta's document demands a language policy, which its own examples do not have.
    assert [one for one in problems if "policy" not in one] == []


@pytest.mark.parametrize(
    ("action", "category"),
    [
        ("send_marketing_message", "UTILITY"),
        ("send_utility_template", "MARKETING"),
        ("send_auth_template", "UTILITY"),
    ],
)
def test_a_template_of_another_category_is_refused(
    actions: Actions, action: str, category: str
) -> None:
    otp = buttons({"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy"})
    body = {"otpCode": CODE} if action == "send_auth_template" else {}
    listed(
        actions.sandbox, {"type": "BODY", "text": "Hi"}, otp if body else QUICK, category=category
    )

    answer = actions.send(action, {**SALE, **body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert sent(actions) == []


@pytest.mark.parametrize(
    ("facts", "body", "says"),
    [
        ({"status": "PAUSED"}, {"bodyParams": ["Ada", "5"]}, "its status is PAUSED"),
        ({}, {"bodyParams": ["Ada"]}, "needs 2 values"),
        ({}, {"bodyParams": ["Ada", "5"], "headerMediaId": "1"}, "headerMediaId: is for IMAGE"),
        ({"language": "de"}, {"bodyParams": ["Ada", "5"]}, "unknown in this language"),
        (
            {},
            {"bodyParams": ["Ada", "5"], "buttonParams": [{"index": 0, "urlSuffix": "a"}]},
            "buttonParams.0: the template has no URL button",
        ),
    ],
)
def test_a_template_that_does_not_fit_is_refused_with_what_it_needs(
    actions: Actions, facts: dict[str, Any], body: dict[str, Any], says: str
) -> None:
    listed(actions.sandbox, BODY, **facts)

    answer = actions.send("send_marketing_message", {**SALE, **body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert says in answer.body["error"]["message"]
    assert sent(actions) == []


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("send_marketing_message", {"headerMediaId": "1", "headerMediaLink": "https://a.example/b"}, "body"),
        ("send_marketing_message", {"buttonParams": [{"index": 0}]}, "buttonParams.0"),
        ("send_marketing_message", {"bodyParams": ["x"] * 51}, "bodyParams"),
        ("send_marketing_message", {"templateName": "Spring"}, "templateName"),
        ("send_marketing_message", {"headerMediaLink": "http://a.example/b"}, "headerMediaLink"),
        ("send_auth_template", {"otpCode": "123"}, "otpCode"),
        ("send_coupon_template", {"couponCode": "x" * 21}, "couponCode"),
        ("send_limited_offer_template", {"offerExpirationTimestamp": NOW}, "offerExpirationTimestamp"),
        ("send_carousel_template", {"cards": [{"headerMediaId": "1"}]}, "cards"),
        ("send_carousel_template", {"cards": [{"headerMediaId": "1"}] * 11}, "cards"),
        ("send_carousel_template", {"cards": [{**FILE, "headerText": "a"}, FILE]}, "cards.0"),
        ("send_auth_template", {"otpCode": CODE, "bodyParams": ["a"]}, "body"),
        ("send_coupon_template", {"couponCode": "A", "headerFilename": "a.pdf"}, "body"),
        ("send_mpm_template", {"catalogId": "12345", "sections": [TWICE]}, "body"),
        ("send_mpm_template", {"catalogId": "12345", "sections": []}, "sections"),
    ],
)  # fmt: skip
def test_bad_values_are_refused_before_any_call(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.send(action, {**SALE, **body})

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert field in answer.fields
    assert actions.wire == []


def media(actions: Actions) -> str:
    """A file that the provider knows."""
    return next(iter(sorted(actions.sandbox.sendable_media)))


def test_a_catalog_template_names_its_picture_or_none(actions: Actions) -> None:
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, buttons({"type": "CATALOG"}))

    actions.send("send_catalog_template", {**SALE, "thumbnailProductRetailerId": "sku-1"})
    plain = actions.send("send_catalog_template", {**SALE, "dryRun": True})

    assert components(actions) == [
        {
            "type": "button",
            "sub_type": "catalog",
            "index": "0",
            "parameters": [
                {"type": "action", "action": {"thumbnail_product_retailer_id": "sku-1"}}
            ],
        }
    ]
    assert "components" not in plain.result["payload"]["template"]


def test_a_multi_product_template_shows_sections_and_the_first_product(actions: Actions) -> None:
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, buttons({"type": "MPM"}))
    section = {"title": "New", "product_items": [{"product_retailer_id": "sku-1"}]}

    answer = actions.send(
        "send_mpm_template", {**SALE, "catalogId": "12345", "sections": [section]}
    )

    assert answer.status == 200
    (button,) = components(actions)
    assert button["parameters"][0]["action"] == {
        "thumbnail_product_retailer_id": "sku-1",
        "sections": [section],
    }


def a_card(header: str) -> dict[str, Any]:
    body = {"type": "BODY", "text": "Only {{1}}"}
    return {"components": [{"type": "HEADER", "format": header}, body, buttons(LINK)]}


def test_a_carousel_has_a_card_for_each_of_the_template(actions: Actions) -> None:
    carousel = {"type": "CAROUSEL", "cards": [a_card("IMAGE"), a_card("IMAGE")]}
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, carousel)
    card = {
        "headerMediaId": media(actions),
        "bodyParams": ["9"],
        "buttonParams": [{"index": 0, "urlSuffix": "a"}],
    }

    answer = actions.send("send_carousel_template", {**SALE, "cards": [card, card]})
    fewer = actions.send("send_carousel_template", {**SALE, "cards": [card] * 3})

    assert answer.status == 200
    (sent_carousel,) = components(actions)
    assert [one["card_index"] for one in sent_carousel["cards"]] == [0, 1]
    kinds = [one["type"] for one in sent_carousel["cards"][0]["components"]]
    assert kinds == ["header", "body", "button"]
    assert (fewer.status, fewer.error) == (409, "template_not_sendable")


def test_a_carousel_of_products_names_them(actions: Actions) -> None:
    cards = [{"components": [{"type": "HEADER", "format": "PRODUCT"}]}] * 2
    carousel = {"type": "CAROUSEL", "cards": cards}
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, carousel)
    card = {"product": {"retailerId": "sku-1", "catalogId": "12345"}}

    actions.send("send_carousel_template", {**SALE, "cards": [card, card]})

    header = components(actions)[0]["cards"][0]["components"][0]
    assert header["parameters"] == [
        {"type": "product", "product": {"product_retailer_id": "sku-1", "catalog_id": "12345"}}
    ]


def test_a_number_on_aws_sends_its_templates_there(actions: Actions) -> None:
    actions.register_eum()
    number = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    inbound = text("wamid.ada.2", at=NOW // 1000 - 60, sender=ADA)
    actions.harness.take({"metadata": number, "messages": [inbound]}, waba=EUM_WABA)
    at_aws(actions.sandbox, {"type": "BODY", "text": "Hi"}, category="UTILITY")

    answer = actions.send("send_utility_template", {**SALE, "phoneNumberId": EUM_PHONE})

    assert answer.status == 200
    (message,) = sent(actions)
    assert message.operation == "SendWhatsAppMessage"
    assert message.body["message"]["template"]["name"] == "spring_sale"


def test_numbers_of_other_companies_and_the_policy_are_respected(actions: Actions) -> None:
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"})

    assert actions.send("send_marketing_message", SALE, caller=GLOBEX).status == 404
    stranger = actions.send("send_marketing_message", {**SALE, "to": "+12025550142"})
    assert (stranger.status, stranger.body["error"]["reason"]) == (422, "no_consent")
