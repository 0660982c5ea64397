"""Products, lists of products and carousels."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import GLOBEX_PHONE, Actions
from whatsapp import store
from whatsapp.store.items import Media

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
CATALOG = "194836987003835"
BIKE = {"catalog_id": CATALOG, "product_retailer_id": "bike-1"}
SECTIONS = [{"title": "Bikes", "product_items": [{"product_retailer_id": "bike-1"}]}]
LIST = {"catalog_id": CATALOG, "sections": SECTIONS}


def sent(actions: Actions) -> Any:
    return actions.wire[-1].body["interactive"]  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("send_single_product", {"productId": "bike-1", "bodyText": "New", "footerText": "Acme"}),
        ("send_product", {"productRetailerId": "bike-1", "body": "New", "footer": "Acme"}),
        (
            "send_catalog_message",
            {
                "messageType": "product",
                "productRetailerId": "bike-1",
                "body": "New",
                "footer": "Acme",
            },
        ),
    ],
)
def test_one_product_is_sent(actions: Actions, action: str, body: dict[str, Any]) -> None:
    answer = actions.send(action, {"catalogId": CATALOG, **body})

    assert answer.status == 200
    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    assert sent(actions) == {
        "type": "product",
        "body": {"text": "New"},
        "footer": {"text": "Acme"},
        "action": BIKE,
    }


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("send_product_list", {"header": "Bikes", "body": "All of them."}),
        ("send_catalog_message", {"header": "Bikes", "body": "All of them."}),
        ("send_product_carousel", {"headerText": "Bikes", "bodyText": "All of them."}),
    ],
)
def test_a_list_of_products_is_sent(actions: Actions, action: str, body: dict[str, Any]) -> None:
    answer = actions.send(action, {"catalogId": CATALOG, "sections": SECTIONS, **body})

    assert answer.status == 200
    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    assert sent(actions) == {
        "type": "product_list",
        "header": {"type": "text", "text": "Bikes"},
        "body": {"text": "All of them."},
        "action": LIST,
    }


def test_the_catalog_is_shown_with_a_picture(actions: Actions) -> None:
    body = {"messageType": "catalog_message", "body": "See all.", "productRetailerId": "bike-1"}
    actions.send("send_catalog_message", body)

    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    assert sent(actions)["action"]["parameters"] == {"thumbnail_product_retailer_id": "bike-1"}


def test_products_are_sent_as_cards(actions: Actions) -> None:
    body = {"catalogId": CATALOG, "bodyText": "New", "productRetailerIds": ["bike-1", "bike-2"]}
    actions.send("send_product_carousel", body)

    second = {"catalog_id": CATALOG, "product_retailer_id": "bike-2"}
    assert sent(actions) == {
        "type": "carousel",
        "body": {"text": "New"},
        "action": {
            "cards": [
                {"card_index": 0, "type": "product", "action": BIKE},
                {"card_index": 1, "type": "product", "action": second},
            ]
        },
    }


def section(first: int, count: int) -> dict[str, Any]:
    items = [{"product_retailer_id": f"bike-{n}"} for n in range(first, first + count)]
    return {"title": "Bikes", "product_items": items}


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("send_product_list", {"sections": [section(0, 16), section(16, 15)]}, "sections"),
        ("send_product_list", {"sections": [section(0, 1), section(0, 1)]}, "sections"),
        ("send_product_list", {"sections": [section(n, 1) for n in range(11)]}, "sections"),
        ("send_product_list", {"sections": []}, "sections"),
        ("send_product_list", {"header": "x" * 61}, "header"),
        ("send_catalog_message", {"header": None}, "body"),
        ("send_catalog_message", {"messageType": "product"}, "body"),
        ("send_catalog_message", {"productRetailerId": "bike-1"}, "body"),
        ("send_catalog_message", {"catalogId": "abc"}, "catalogId"),
    ],
)
def test_a_list_beyond_the_limits_is_refused(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    whole = {"catalogId": CATALOG, "sections": SECTIONS, "header": "Bikes", "body": "All."}
    answer = actions.send(action, whole | body)

    assert (answer.status, answer.fields, actions.wire) == (400, [field], [])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"productRetailerIds": ["a", "b"], "sections": SECTIONS},
        {"productRetailerIds": ["a", "b"], "headerText": "Bikes"},
        {"productRetailerIds": ["a", "a"]},
        {"sections": SECTIONS},
    ],
)
def test_a_carousel_of_products_has_one_kind_of_content(
    actions: Actions, body: dict[str, Any]
) -> None:
    answer = actions.send(
        "send_product_carousel", {"catalogId": CATALOG, "bodyText": "New", **body}
    )

    assert (answer.status, answer.fields, actions.wire) == (400, ["body"], [])


@pytest.mark.parametrize("count", [1, 11])
def test_a_carousel_has_two_to_ten_products(actions: Actions, count: int) -> None:
    body = {"catalogId": CATALOG, "bodyText": "New"}
    ids = [f"bike-{n}" for n in range(count)]
    answer = actions.send("send_product_carousel", {**body, "productRetailerIds": ids})

    assert (answer.status, answer.fields) == (400, ["productRetailerIds"])


LINK = {"type": "cta_url", "text": "Open", "url": "https://acme.example/a"}
CARD = {"headerType": "image", "link": "https://acme.example/a.jpg", "bodyText": "New"}


def test_pictures_are_sent_as_cards_with_links(actions: Actions) -> None:
    cards = [{**CARD, "button": LINK}] * 2
    answer = actions.send("send_media_carousel", {"bodyText": "See", "cards": cards})

    assert answer.status == 200
    first, second = sent(actions)["action"]["cards"]
    assert (first["card_index"], second["card_index"]) == (0, 1)
    assert first["header"] == {"type": "image", "image": {"link": CARD["link"]}}
    assert (first["type"], first["body"]) == ("cta_url", {"text": "New"})
    assert first["action"]["parameters"] == {"display_text": "Open", "url": LINK["url"]}


def test_videos_are_sent_as_cards_with_replies(actions: Actions) -> None:
    card = {"headerType": "video", "mediaId": "1003383421387260"}
    cards = [
        {**card, "buttons": [{"text": "Yes"}, {"text": "No", "id": f"no-{n}"}]} for n in range(10)
    ]
    answer = actions.send("send_media_carousel", {"bodyText": "See", "cards": cards})

    assert answer.status == 200
    shown = sent(actions)["action"]["cards"][9]
    assert shown["header"]["video"] == {"id": "1003383421387260"}
    replies = [button["quick_reply"] for button in shown["action"]["buttons"]]
    assert replies == [{"id": "card_9_0", "title": "Yes"}, {"id": "no-9", "title": "No"}]


@pytest.mark.parametrize(
    ("cards", "field"),
    [
        ([{**CARD, "button": LINK}], "cards"),
        ([{**CARD, "button": LINK}] * 11, "cards"),
        ([{**CARD, "button": LINK}, {**CARD, "buttons": [{"text": "Yes"}]}], "body"),
        ([{**CARD, "button": LINK}, {**CARD, "headerType": "video", "button": LINK}], "body"),
        ([CARD, {**CARD, "button": LINK}], "cards.0"),
        ([{**CARD, "button": LINK, "mediaId": "1"}] * 2, "cards.0"),
        ([{**CARD, "button": LINK, "bodyText": "x" * 161}] * 2, "cards.0.bodyText"),
        ([{**CARD, "button": LINK, "bodyText": "a\nb\nc\nd"}] * 2, "cards.0.bodyText"),
        ([{**CARD, "buttons": [{"text": "x" * 21}]}] * 2, "cards.0.buttons.0.text"),
        ([{**CARD, "buttons": [{"text": "a"}] * 4}] * 2, "cards.0.buttons"),
    ],
)
def test_cards_beyond_the_limits_are_refused(
    actions: Actions, cards: list[dict[str, Any]], field: str
) -> None:
    answer = actions.send("send_media_carousel", {"bodyText": "See", "cards": cards})

    assert (answer.status, actions.wire) == (400, [])
    assert field in answer.fields


def test_a_card_with_a_file_of_another_company_is_refused(actions: Actions) -> None:
    record = Media(pk=Media.key("9001"), media_id="9001", company="globex", phone=GLOBEX_PHONE)
    store.media.add(actions.harness.resources.table, record)
    card = {"headerType": "image", "mediaId": "9001", "button": LINK}

    answer = actions.send("send_media_carousel", {"bodyText": "See", "cards": [card, card]})

    assert (answer.status, actions.wire) == (404, [])
