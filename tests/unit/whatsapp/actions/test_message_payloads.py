"""Payloads of messages: every valid input gives what the provider accepts, and inputs beyond a limit are refused."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local.sandbox.providers.whatsapp import rules
from shared.api.errors import InvalidInput
from tests.cases import each
from whatsapp.actions.messages.interactive.interactives import framed, of_interactive
from whatsapp.actions.messages.places import of_location
from whatsapp.actions.messages.resends.resends import is_passing
from whatsapp.actions.messages.signals.emoji import is_emoji
from whatsapp.actions.messages.signals.reactions import payload
from whatsapp.actions.messages.signals.receipts import receipt
from whatsapp.sending.drafts import Draft
from whatsapp.sending.payloads import of_text
from whatsapp.store.items import Message

Strategy = st.SearchStrategy[Any]


def words(most: int) -> Strategy:
    """Texts without control characters or spaces at an end."""
    letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
    return st.text(letters, min_size=1, max_size=most)


IDS = st.integers(0, 10**9).map(str)
CATALOGS = st.from_regex(r"[0-9]{5,25}", fullmatch=True)
URLS = st.integers(0, 10**9).map("https://acme.example/{}".format)
HEADERS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, words(60)),
    st.builds(
        lambda kind, url: {"type": kind, kind: {"link": url}},
        st.sampled_from(["image", "video", "document"]),
        URLS,
    ),
)
BODIES = words(1_024).map(lambda text: {"text": text})
FOOTERS = words(60).map(lambda text: {"text": text})


def object_of(required: dict[str, Strategy], optional: dict[str, Strategy]) -> Strategy:
    return st.fixed_dictionaries(required, optional=optional)


def buttons(most: int) -> Strategy:
    pairs = st.tuples(IDS, words(20))
    unique = st.lists(pairs, min_size=1, max_size=most, unique_by=(lambda p: p[0], lambda p: p[1]))
    return unique.map(
        lambda found: {
            "buttons": [
                {"type": "reply", "reply": {"id": key, "title": title}} for key, title in found
            ]
        }
    )


@st.composite
def lists(draw: st.DrawFn) -> dict[str, Any]:
    ids = draw(st.lists(IDS, min_size=1, max_size=10, unique=True))
    count = draw(st.integers(1, len(ids)))
    cuts = [ids[part::count] for part in range(count)]
    sections = [
        {
            "title": draw(words(24)),
            "rows": [
                {"id": key, "title": draw(words(24)), "description": draw(words(72))} for key in cut
            ],
        }
        for cut in cuts
    ]
    return {"button": draw(words(20)), "sections": sections}


@st.composite
def product_lists(draw: st.DrawFn) -> dict[str, Any]:
    products = draw(st.lists(words(100), min_size=1, max_size=30, unique=True))
    count = draw(st.integers(1, min(10, len(products))))
    sections = [
        {
            "title": draw(words(24)),
            "product_items": [{"product_retailer_id": one} for one in products[part::count]],
        }
        for part in range(count)
    ]
    return {"catalog_id": draw(CATALOGS), "sections": sections}


@st.composite
def carousels(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["image", "video"]))
    replies = draw(st.integers(0, 3))
    cards = []
    for index in range(draw(st.integers(2, 10))):
        action: dict[str, Any] = {
            "name": "cta_url",
            "parameters": {"display_text": draw(words(20)), "url": draw(URLS)},
        }
        if replies:
            action = {
                "buttons": [
                    {
                        "type": "quick_reply",
                        "quick_reply": {"id": f"{index}-{n}", "title": draw(words(20))},
                    }
                    for n in range(replies)
                ]
            }
        header = {"type": kind, kind: {"link": draw(URLS)}}
        cards.append(
            {
                "card_index": index,
                "header": header,
                "body": {"text": draw(words(160))},
                "action": action,
            }
        )
    return {"cards": cards}


PRODUCTS = object_of({"catalog_id": CATALOGS, "product_retailer_id": words(100)}, {})
ADDRESSES = object_of(
    {"country": st.just("IN")},
    {
        "values": object_of(
            {}, {"name": words(100), "in_pin_code": st.from_regex(r"[0-9]{6}", fullmatch=True)}
        )
    },
)
FLOWS = object_of(
    {"flow_message_version": st.just("3"), "flow_id": CATALOGS, "flow_cta": words(30)},
    {"flow_token": words(200), "mode": st.sampled_from(["draft", "published"])},
)


def named(name: str, parameters: Strategy | None = None) -> Strategy:
    more = {"parameters": parameters} if parameters is not None else {}
    return object_of({"name": st.just(name), **more}, {})


LINKS = object_of({"display_text": words(20), "url": URLS}, {})
TEXT_HEADERS = words(60).map(lambda text: {"type": "text", "text": text})
VALID: dict[str, Strategy] = {
    "button": object_of(
        {"body": BODIES, "action": buttons(3)}, {"header": HEADERS, "footer": FOOTERS}
    ),
    "list": object_of(
        {"body": words(4_096).map(lambda text: {"text": text}), "action": lists()},
        {"header": TEXT_HEADERS, "footer": FOOTERS},
    ),
    "cta_url": object_of(
        {"body": BODIES, "action": named("cta_url", LINKS)}, {"header": HEADERS, "footer": FOOTERS}
    ),
    "product": object_of({"action": PRODUCTS}, {"body": BODIES, "footer": FOOTERS}),
    "product_list": object_of(
        {"header": TEXT_HEADERS, "body": BODIES, "action": product_lists()}, {"footer": FOOTERS}
    ),
    "catalog_message": object_of(
        {"body": BODIES, "action": named("catalog_message")}, {"footer": FOOTERS}
    ),
    "flow": object_of(
        {"body": BODIES, "action": named("flow", FLOWS)}, {"header": HEADERS, "footer": FOOTERS}
    ),
    "location_request_message": object_of({"body": BODIES, "action": named("send_location")}, {}),
    "address_message": object_of(
        {"body": BODIES, "action": named("address_message", ADDRESSES)}, {"footer": FOOTERS}
    ),
    "carousel": object_of({"body": BODIES, "action": carousels()}, {}),
    "voice_call": object_of({"body": BODIES, "action": named("voice_call")}, {}),
    "call_permission_request": object_of(
        {"action": named("call_permission_request")}, {"body": BODIES}
    ),
}


def accepted(draft: Draft) -> rules.Accepted:
    """What the provider's rules say about a message. Raises BrokenRule."""
    message = {
        "messaging_product": "whatsapp",
        "to": "+447700900101",
        "type": draft.type,
        draft.type: draft.body,
    }
    return rules.check_message(message, ())


@pytest.mark.long
@pytest.mark.parametrize("kind", list(VALID))
@settings(max_examples=40)
@given(data=st.data())
def test_every_valid_interactive_object_is_accepted_by_the_provider(
    kind: Any, data: st.DataObject
) -> None:
    interactive = data.draw(VALID[kind])
    draft = of_interactive(kind, interactive)

    assert accepted(draft).address == "+447700900101"
    assert draft.content == {"type": kind, **interactive}
    assert draft.shown["preview"]


def at(part: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        part = part[name]
    return part


# Where each kind has a text, and the most characters it may have.
LIMITS: dict[str, list[tuple[tuple[Any, ...], int]]] = {
    "button": [(("body", "text"), 1_024), (("action", "buttons", 0, "reply", "title"), 20)],
    "list": [
        (("body", "text"), 4_096),
        (("action", "button"), 20),
        (("action", "sections", 0, "title"), 24),
        (("action", "sections", 0, "rows", 0, "id"), 200),
        (("action", "sections", 0, "rows", 0, "title"), 24),
        (("action", "sections", 0, "rows", 0, "description"), 72),
    ],
    "cta_url": [(("action", "parameters", "display_text"), 20)],
    "product": [(("action", "product_retailer_id"), 100)],
    "product_list": [
        (("header", "text"), 60),
        (("action", "sections", 0, "title"), 24),
        (("action", "sections", 0, "product_items", 0, "product_retailer_id"), 100),
    ],
    "flow": [(("action", "parameters", "flow_cta"), 30)],
    "carousel": [(("action", "cards", 0, "body", "text"), 160), (("body", "text"), 1_024)],
}


@pytest.mark.parametrize(
    ("kind", "path", "most"), [(kind, *each) for kind, found in LIMITS.items() for each in found]
)
@settings(max_examples=10)  # One text alone is too long: little else of the object matters.
@given(data=st.data())
def test_a_text_beyond_its_limit_is_refused_with_its_place(
    kind: Any, path: tuple[Any, ...], most: int, data: st.DataObject
) -> None:
    interactive = data.draw(VALID[kind])
    beyond = data.draw(st.sampled_from([1, 2, 50]))
    at(interactive, path[:-1])[path[-1]] = "x" * (most + beyond)

    with pytest.raises(InvalidInput) as refusal:
        of_interactive(kind, interactive, place="interactive")
    place = ".".join(map(str, ("interactive", *path)))[:64]
    assert place in {problem["field"] for problem in refusal.value.problems}


@given(
    latitude=st.decimals(-90, 90, allow_nan=False, places=6),
    longitude=st.decimals(-180, 180, allow_nan=False, places=6),
    name=st.none() | words(1_000),
)
def test_every_location_is_accepted_and_keeps_its_digits(
    latitude: Decimal, longitude: Decimal, name: str | None
) -> None:
    draft = of_location(latitude, longitude, name)

    assert accepted(draft)
    assert Decimal(draft.content["latitude"]) == latitude == draft.shown["content"]["latitude"]


@given(text=words(4_096))
def test_every_text_is_accepted(text: str) -> None:
    assert accepted(of_text(text))


def test_texts_around_an_action_are_left_out_when_absent() -> None:
    assert framed({"name": "a"}, header=None, body="b", footer="") == {
        "body": {"text": "b"},
        "action": {"name": "a"},
    }


@each(
    "emoji",
    [
        "\N{THUMBS UP SIGN}",
        "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}",
        "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
        "\N{HEAVY BLACK HEART}",
        "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}",
        "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}",
        "\N{REGIONAL INDICATOR SYMBOL LETTER I}\N{REGIONAL INDICATOR SYMBOL LETTER N}",
        "1\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}",
        "\N{WAVING BLACK FLAG}\N{TAG LATIN SMALL LETTER G}\N{TAG LATIN SMALL LETTER B}\N{CANCEL TAG}",
    ],
)
def test_one_emoji_is_accepted_and_two_are_not(emoji: str) -> None:
    assert is_emoji(emoji)
    assert not is_emoji(emoji + "\N{BICYCLE}")
    assert accepted_reaction(emoji)


def accepted_reaction(emoji: str) -> bool:
    body = {"messaging_product": "whatsapp", "to": "+447700900101", **payload("wamid.a", emoji)}
    return rules.check_message(body, ()).address == "+447700900101"


@given(text=st.text(st.characters(codec="ascii"), max_size=5))
def test_letters_and_digits_are_no_emoji(text: str) -> None:
    assert not is_emoji(text)


@pytest.mark.parametrize("typing", [True, False])
def test_a_receipt_is_accepted(typing: bool) -> None:
    message = Message(
        pk="MSG#wamid.a",
        direction="INBOUND",
        received_at="-",
        type="text",
        phone="1",
        payload_hash="-",
    )
    body = receipt(message, typing=typing)

    rules.check_receipt(body)
    assert ("typing_indicator" in body) is typing


@each(
    ("code", "passes"),
    [
        (131056, True),
        ("130429", True),
        ("graph_80007", True),
        ("ThrottledRequestException", True),
        (131000, True),
        (131026, False),
        ("graph_131047", False),
        ("ValidationException", False),
        (None, False),
        ("", False),
    ],
)
def test_only_rate_limits_and_internal_errors_pass(code: object, passes: bool) -> None:
    assert is_passing(code) is passes
