"""Messages of templates: their values come from the definition, their category from the provider."""

from __future__ import annotations

import json
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

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


def of_code(**body: Any) -> dict[str, Any]:
    return {"templateName": "login_code", "otpCode": CODE, **body}


def login_code(actions: Actions, **facts: Any) -> None:
    listed(
        actions.sandbox,
        {"type": "BODY", "add_security_recommendation": True},
        {"type": "FOOTER", "code_expiration_minutes": 10},
        buttons({"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy"}),
        **{"name": "login_code", "category": "AUTHENTICATION", **facts},
    )


def everything(actions: Actions) -> str:
    pages = actions.harness.dynamodb.get_paginator("scan").paginate(
        TableName=actions.harness.resources.table.name
    )
    read = TypeDeserializer().deserialize
    return repr(
        [
            {name: read(value) for name, value in item.items()}
            for page in pages
            for item in page["Items"]
        ]
    )


def test_a_code_is_sent_in_text_and_button_and_stored_nowhere(
    actions: Actions, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    login_code(actions)

    answer = actions.send("send_auth_template", of_code(expiryMinutes=10), key="key-code-1")

    assert components(actions) == [
        {"type": "body", "parameters": [{"type": "text", "text": CODE}]},
        {
            "type": "button",
            "sub_type": "url",
            "index": "0",
            "parameters": [{"type": "text", "text": CODE}],
        },
    ]
    assert actions.item(answer.result["messagePk"])["template"] == "login_code"
    assert "components" not in actions.item(answer.result["messagePk"])["content"]
    printed = capsys.readouterr()
    assert CODE not in everything(actions) + json.dumps(answer.body)
    assert CODE not in printed.out + printed.err + caplog.text
    again = actions.send("send_auth_template", of_code(expiryMinutes=10), key="key-code-1")
    assert (again.body["replayed"], len(sent(actions))) == (True, 1)
    other = actions.send("send_auth_template", of_code(otpCode="111111"), key="key-code-1")
    assert other.status == 409


def test_a_code_in_doubt_or_refused_is_stored_nowhere_either(actions: Actions) -> None:
    login_code(actions)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")

    doubtful = actions.send("send_auth_template", of_code())
    actions.switch("true")
    refused = actions.send("send_auth_template", of_code())

    assert (doubtful.status, refused.status) == (202, 422)
    assert CODE not in everything(actions)


def test_a_code_needs_a_phone_number_and_the_expiry_of_the_template(actions: Actions) -> None:
    login_code(actions)

    user = actions.send("send_auth_template", of_code(to=None, recipient="GB.abc"))
    minutes = actions.send("send_auth_template", of_code(expiryMinutes=5))

    assert (user.status, user.fields) == (400, ["to"])
    assert (minutes.status, minutes.fields) == (400, ["expiryMinutes"])
    assert sent(actions) == []


def test_an_approved_code_template_has_a_url_button(actions: Actions) -> None:
    listed(
        actions.sandbox,
        {"type": "BODY", "text": "*{{1}}* is your code. It expires in {{2}} minutes."},
        buttons({"type": "URL", "text": "Copy", "url": "https://www.whatsapp.com/otp/{{1}}"}),
        name="login_code",
        category="AUTHENTICATION",
    )

    actions.send("send_auth_template", of_code(expiryMinutes=5))

    texts = [one["text"] for one in components(actions)[0]["parameters"]]
    assert texts == [CODE, "5"]


def test_a_coupon_fills_the_body_and_the_button_that_copies_it(actions: Actions) -> None:
    coupon = {"type": "COPY_CODE", "example": "SAVE"}
    body_text = {"type": "BODY", "text": "{{percent}} % off until {{end}}"}
    listed(actions.sandbox, body_text, buttons(QUICK, coupon))
    body = {**SALE, "couponCode": "SPRING", "discountPercent": 12.5, "expiryDate": "2026-03-01"}

    actions.send("send_coupon_template", body)

    assert components(actions) == [
        {
            "type": "body",
            "parameters": [
                {"type": "text", "text": "12.5", "parameter_name": "percent"},
                {"type": "text", "text": "2026-03-01", "parameter_name": "end"},
            ],
        },
        {
            "type": "button",
            "sub_type": "copy_code",
            "index": "1",
            "parameters": [{"type": "coupon_code", "coupon_code": "SPRING"}],
        },
    ]


def test_a_coupon_needs_a_template_with_a_button_for_it(actions: Actions) -> None:
    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, buttons(QUICK))

    answer = actions.send("send_coupon_template", {**SALE, "couponCode": "SPRING"})

    assert (answer.error, sent(actions)) == ("template_not_sendable", [])


def test_a_limited_offer_has_its_end_and_its_code(actions: Actions) -> None:
    offer = {
        "type": "LIMITED_TIME_OFFER",
        "limited_time_offer": {"text": "Soon over", "has_expiration": True},
    }
    coupon = {"type": "COPY_CODE", "example": "SAVE"}
    listed(actions.sandbox, IMAGE, offer, {"type": "BODY", "text": "Hi"}, buttons(coupon))
    end = NOW + 86_400_000

    actions.send(
        "send_limited_offer_template",
        {
            **SALE,
            "offerExpirationTimestamp": end,
            "couponCode": "SPRING",
            "headerMediaId": media(actions),
        },
    )

    header, ends, code = components(actions)
    assert header["parameters"][0]["type"] == "image"
    assert ends["parameters"][0]["limited_time_offer"] == {"expiration_time_ms": end}
    assert code["parameters"] == [{"type": "coupon_code", "coupon_code": "SPRING"}]


def test_an_offer_without_an_end_is_sent_without_one_and_needs_its_template(
    actions: Actions,
) -> None:
    offer = {"text": "For members", "has_expiration": False}
    url = {"type": "URL", "url": "https://acme.example/{{1}}"}
    shown = buttons({"type": "COPY_CODE"}, url)
    text = {"type": "BODY", "text": "Hi"}
    listed(
        actions.sandbox, {"type": "LIMITED_TIME_OFFER", "limited_time_offer": offer}, text, shown
    )
    values = {"couponCode": "SPRING", "buttonParams": [{"index": 1, "urlSuffix": "a"}]}
    actions.send("send_limited_offer_template", SALE | values)

    assert [one["sub_type"] for one in components(actions)] == ["copy_code", "url"]
    actions.sandbox.templates.clear()
    listed(actions.sandbox, text, shown, name="plain")
    answer = actions.send("send_limited_offer_template", values | {"templateName": "plain"})
    assert (answer.error, len(sent(actions))) == ("template_not_sendable", 1)


@pytest.mark.parametrize(
    ("has_expiration", "given", "rule"),
    [
        (True, {}, "is missing: the template shows when its offer ends"),
        (False, {"offerExpirationTimestamp": NOW + 86_400_000}, "is not in the template"),
    ],
)
def test_an_offer_whose_end_does_not_fit_is_refused_with_the_rule(
    actions: Actions, has_expiration: bool, given: dict[str, Any], rule: str
) -> None:
    offer = {"text": "Soon over", "has_expiration": has_expiration}
    part = {"type": "LIMITED_TIME_OFFER", "limited_time_offer": offer}
    coupon = buttons({"type": "COPY_CODE"})
    listed(actions.sandbox, part, {"type": "BODY", "text": "Hi"}, coupon)
    answer = actions.send("send_limited_offer_template", SALE | {"couponCode": "SPRING"} | given)

    assert (answer.error, sent(actions)) == ("template_not_sendable", [])
    assert f"offerExpirationTimestamp: {rule}" in answer.body["error"]["message"]


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
