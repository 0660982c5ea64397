"""Templates with a code: logins, coupons and limited offers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.actions.templates.catalogue import IMAGE, QUICK, buttons, listed
from tests.integration.whatsapp.actions.templates.test_sends import (
    CODE,
    SALE,
    components,
    media,
    sent,
)
from tests.integration.whatsapp.conftest import NOW


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
