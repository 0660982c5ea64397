"""Each action that sends templates takes a value for each part of Meta's samples, by one table of slots."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.actions.templates.catalogue import buttons, listed
from tests.integration.whatsapp.conftest import NOW
from whatsapp.sending import files

type Json = dict[str, Any]

END = NOW + 86_400_000
LINK = "https://acme.example/a"
SECTIONS = [{"title": "New", "product_items": [{"product_retailer_id": "sku-1"}]}]
CARD = {"components": [{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "{{1}}"}]}
CARDS = [{"headerMediaLink": LINK, "bodyParams": ["9"]}] * 2
# What each action needs: parts of the template besides its buttons, its buttons, parameters.
ACTIONS: dict[str, tuple[list[Json], list[Json], Json]] = {
    "send_marketing_message": ([], [], {}),
    "send_utility_template": ([], [], {}),
    "send_coupon_template": ([], [{"type": "COPY_CODE"}], {"couponCode": "SPRING"}),
    "send_limited_offer_template": (
        [{"type": "LIMITED_TIME_OFFER"}],
        [],
        {"offerExpirationTimestamp": END},
    ),
    "send_carousel_template": ([{"type": "CAROUSEL", "cards": [CARD] * 2}], [], {"cards": CARDS}),
    "send_catalog_template": ([], [{"type": "CATALOG"}], {}),
    "send_mpm_template": (
        [],
        [{"type": "MPM"}],
        {"catalogId": "12345", "sections": SECTIONS},
    ),
    "send_flow_template": ([], [{"type": "FLOW"}], {"flowId": "70000"}),
    "send_auth_template": ([], [{"type": "OTP"}], {"otpCode": "739415"}),
}


@pytest.fixture(autouse=True)
def _files_of_any_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the link lead to a file of the type that is asked for."""
    monkeypatch.setattr(files, "check_link", lambda *_: None)


def text(value: str, **more: str) -> Json:
    return {"type": "text", "text": value, **more}


def header(**value: Any) -> Json:
    return {"type": "header", "parameters": [value]}


def button(sub_type: str, **value: Any) -> Json:
    return {"type": "button", "sub_type": sub_type, "parameters": [value]}


# A part of a template, the parameter that fills it, and the component that Meta's samples have for it.
HEADERS: list[tuple[Json, Json, Json]] = [
    ({"format": "TEXT", "text": "Sale {{1}}"}, {"headerText": "May"}, header(**text("May"))),
    (
        {"format": "TEXT", "text": "Sale {{month}}"},
        {"headerText": "May"},
        header(**text("May", parameter_name="month")),
    ),
    *(
        (
            {"format": kind.upper()},
            {"headerMediaLink": LINK},
            header(type=kind, **{kind: {"link": LINK}}),
        )
        for kind in ("image", "video", "document")
    ),
    (
        {"format": "IMAGE"},
        {"headerMediaId": "1003383421387256"},
        header(type="image", image={"id": "1003383421387256"}),
    ),
    (
        {"format": "DOCUMENT"},
        {"headerMediaLink": LINK, "headerFilename": "a.pdf"},
        header(type="document", document={"link": LINK, "filename": "a.pdf"}),
    ),
    (
        {"format": "LOCATION"},
        {"headerLocation": {"latitude": 1.5, "longitude": 2, "name": "Shop", "address": "High St"}},
        header(
            type="location",
            location={"latitude": 1.5, "longitude": 2.0, "name": "Shop", "address": "High St"},
        ),
    ),
    (
        {"format": "PRODUCT"},
        {"product": {"catalogId": "12345", "retailerId": "sku-1"}},
        header(type="product", product={"catalog_id": "12345", "product_retailer_id": "sku-1"}),
    ),
]
BUTTONS: list[tuple[Json, Json, Json]] = [
    (
        {"type": "URL", "url": "https://acme.example/{{1}}"},
        {"buttonParams": [{"urlSuffix": "sale"}]},
        button("url", **text("sale")),
    ),
    (
        {"type": "QUICK_REPLY"},
        {"buttonParams": [{"payload": "stop"}]},
        button("quick_reply", type="payload", payload="stop"),
    ),
    (
        {"type": "COPY_CODE"},
        {"couponCode": "SPRING"},
        button("copy_code", type="coupon_code", coupon_code="SPRING"),
    ),
    (
        {"type": "CATALOG"},
        {"thumbnailProductRetailerId": "sku-1"},
        button("catalog", type="action", action={"thumbnail_product_retailer_id": "sku-1"}),
    ),
]
MONEY = {
    "type": "currency",
    "currency": {"fallback_value": "5 EUR", "code": "EUR", "amount_1000": 5_000},
}


def payload(
    actions: Actions, action: str, parts: list[Json], more: list[Json], body: Json
) -> list[Json]:
    """The components of a dry run with a template of these parts and of the action's own ones."""
    own_parts, own_buttons, own = ACTIONS[action]
    shown = [*own_buttons, *more]
    has_code = action == "send_auth_template"
    message = [] if has_code else [{"type": "BODY", "text": "Hi"}]
    category = {"send_auth_template": "AUTHENTICATION", "send_utility_template": "UTILITY"}
    listed(
        actions.sandbox,
        *parts,
        *([{"type": "BODY"}] if has_code else []),
        *([] if any(one["type"] == "BODY" for one in parts) else message),
        *own_parts,
        *([buttons(*shown)] if shown else []),
        category=category.get(action, "MARKETING"),
    )
    answer = actions.send(action, {"templateName": "spring_sale", "dryRun": True, **own, **body})
    found: list[Json] = answer.result["payload"]["template"]["components"]
    return found


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(("part", "body", "component"), HEADERS)
def test_a_header_of_each_format_takes_its_value(
    actions: Actions, action: str, part: Json, body: Json, component: Json
) -> None:
    assert component in payload(actions, action, [{"type": "HEADER", **part}], [], body)


@pytest.mark.parametrize(
    ("action", "part", "body", "component"),
    [
        pytest.param(action, *entry, id=f"{action}-{entry[0]['type']}")
        for action in ACTIONS
        for entry in BUTTONS
        # No template has both: the thumbnail of a catalog's button is the products' thumbnail.
        if (action, entry[0]["type"]) != ("send_mpm_template", "CATALOG")
    ],
)
def test_a_button_of_each_type_takes_its_value(
    actions: Actions, action: str, part: Json, body: Json, component: Json
) -> None:
    kinds = [one["type"] for one in ACTIONS[action][1]]
    index = kinds.index(part["type"]) if part["type"] in kinds else len(kinds)
    if "buttonParams" in body:
        body = {"buttonParams": [{"index": index, **body["buttonParams"][0]}]}

    found = payload(actions, action, [], [] if part["type"] in kinds else [part], body)

    assert component | {"index": str(index)} in found


@pytest.mark.parametrize("action", [one for one in ACTIONS if one != "send_auth_template"])
def test_a_body_takes_texts_and_localised_values(actions: Actions, action: str) -> None:
    body = {"type": "BODY", "text": "Hello {{1}}, {{2}} off"}

    found = payload(actions, action, [body], [], {"bodyParams": ["Ada", MONEY]})

    assert {"type": "body", "parameters": [text("Ada"), MONEY]} in found


@pytest.mark.parametrize("action", ACTIONS)
def test_what_an_action_is_named_for_is_in_the_message(actions: Actions, action: str) -> None:
    found = payload(actions, action, [], [], {}) if ACTIONS[action][2] else []
    kinds = {str(one.get("sub_type", one["type"])) for one in found}

    named = {
        "send_coupon_template": {"copy_code"},
        "send_limited_offer_template": {"limited_time_offer"},
        "send_carousel_template": {"carousel"},
        "send_mpm_template": {"mpm"},
        "send_flow_template": {"flow"},
        "send_auth_template": {"body", "url"},
    }
    assert kinds == named.get(action, set())


def test_a_template_of_one_product_has_it_in_the_header_only(actions: Actions) -> None:
    parts: list[Json] = [{"type": "HEADER", "format": "PRODUCT"}, {"type": "BODY", "text": "Hi"}]
    listed(actions.sandbox, *parts, buttons({"type": "SPM", "text": "View"}))
    body = {
        "templateName": "spring_sale",
        "dryRun": True,
        "product": {"catalogId": "12345", "retailerId": "sku-1"},
    }

    answer = actions.send("send_catalog_template", body)

    (component,) = answer.result["payload"]["template"]["components"]
    assert component["parameters"][0]["type"] == "product"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("body", "field"),
    [
        *((one[1], next(iter(one[1]))) for one in HEADERS),
        ({"couponCode": "SPRING"}, "couponCode"),
        ({"offerExpirationTimestamp": END}, "offerExpirationTimestamp"),
        ({"thumbnailProductRetailerId": "a"}, "thumbnailProductRetailerId"),
        ({"catalogId": "12345", "sections": SECTIONS}, "sections"),
        ({"cards": CARDS}, "cards"),
        ({"buttonParams": [{"index": 9, "urlSuffix": "a"}]}, "buttonParams.0"),
        ({"buttonParams": [{"index": 9, "payload": "a"}]}, "buttonParams.0"),
    ],
)
def test_a_value_without_a_place_in_the_template_is_refused_with_field_and_rule(
    actions: Actions, action: str, body: Json, field: str
) -> None:
    own_parts, own_buttons, own = ACTIONS[action]
    if field in own or (field, action) == ("thumbnailProductRetailerId", "send_catalog_template"):
        return
    if (field, action) == ("thumbnailProductRetailerId", "send_mpm_template"):
        return  # the product that its sections show first
    category = {"send_auth_template": "AUTHENTICATION", "send_utility_template": "UTILITY"}
    message = {"type": "BODY"} if action == "send_auth_template" else {"type": "BODY", "text": "Hi"}
    shown = [buttons(*own_buttons)] if own_buttons else []
    listed(
        actions.sandbox,
        *[message, *own_parts, *shown],
        category=category.get(action, "MARKETING"),
    )

    answer = actions.send(action, {"templateName": "spring_sale", **own, **body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert answer.body["error"]["message"].startswith(f"{field}: ")
    assert not [one for one in actions.wire if "send" in one.operation.lower()]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ([{"type": "HEADER", "format": "IMAGE"}], "headerMediaId"),
        ([{"type": "HEADER", "format": "TEXT", "text": "{{1}}"}], "headerText"),
        ([{"type": "HEADER", "format": "LOCATION"}], "headerLocation"),
        ([{"type": "HEADER", "format": "PRODUCT"}], "product"),
        ([{"type": "BODY", "text": "{{1}}"}], "bodyParams"),
        ([{"type": "LIMITED_TIME_OFFER"}], "offerExpirationTimestamp"),
        ([{"type": "CAROUSEL", "cards": [CARD] * 2}], "cards"),
        ([buttons({"type": "COPY_CODE"})], "couponCode"),
        ([buttons({"type": "URL", "url": "https://a.example/{{1}}"})], "buttonParams"),
        ([buttons({"type": "MPM"})], "sections"),
    ],
)
def test_a_part_without_its_value_is_refused_with_the_parameter_that_fills_it(
    actions: Actions, parts: list[Json], field: str
) -> None:
    has_body = any(one["type"] == "BODY" for one in parts)
    listed(actions.sandbox, *parts, *([] if has_body else [{"type": "BODY", "text": "Hi"}]))

    answer = actions.send("send_marketing_message", {"templateName": "spring_sale"})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert answer.body["error"]["message"].startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ({"bodyParams": ["9"]}, "cards.1.headerMediaId: needs one image"),
        ({"headerMediaLink": LINK}, "cards.1.bodyParams: needs 1 values"),
        ({"headerText": "a", "bodyParams": ["9"]}, "cards.1.headerText: is for TEXT"),
        (
            {**CARDS[0], "buttonParams": [{"index": 0, "payload": "a"}]},
            "cards.1.buttonParams.0: the template has no QUICK_REPLY button",
        ),
    ],
)
def test_a_card_that_does_not_fit_is_refused_with_its_number(
    actions: Actions, card: Json, says: str
) -> None:
    listed(
        actions.sandbox,
        {"type": "BODY", "text": "Hi"},
        {"type": "CAROUSEL", "cards": [CARD] * 2},
    )

    answer = actions.send(
        "send_carousel_template", {"templateName": "spring_sale", "cards": [CARDS[0], card]}
    )

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert says in answer.body["error"]["message"]
