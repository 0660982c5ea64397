"""Values built from a template's definition always fit it, and the check notices each one that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from whatsapp.actions.templates.sending import values
from whatsapp.sending import template_fit

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=20)
NAMES = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), unique=True, max_size=4)
KINDS = st.lists(
    st.sampled_from(["QUICK_REPLY", "URL", "COPY_CODE", "CATALOG", "MPM", "OTP"]),
    unique=True,
    max_size=4,
)


def definition(
    names: list[str], file: str | None, kinds: list[str], *, offers: bool
) -> list[dict[str, Any]]:
    """A template with these variables, header and buttons."""
    text = " ".join(["Hello", *(f"{{{{{name}}}}}" for name in names)])
    buttons = [
        {"type": kind, "url": "https://acme.example/{{1}}"} if kind == "URL" else {"type": kind}
        for kind in kinds
    ]
    return [
        *([{"type": "HEADER", "format": file}] if file else []),
        {"type": "BODY", "text": text},
        *([{"type": "LIMITED_TIME_OFFER"}] if offers else []),
        *([{"type": "BUTTONS", "buttons": buttons}] if buttons else []),
    ]


def built(template: list[dict[str, Any]], texts: list[str], text: str) -> list[dict[str, Any]]:
    """All values that the template takes."""
    kinds: list[dict[str, Any]] = next(
        (one["buttons"] for one in template if one["type"] == "BUTTONS"), []
    )
    makers: dict[str, Callable[[int], dict[str, Any]]] = {
        "QUICK_REPLY": lambda index: values.payload(index, text),
        "URL": lambda index: values.url(index, text),
        "COPY_CODE": lambda _: values.coupon(template, text),
        "CATALOG": lambda _: values.catalog(template, text),
        "MPM": lambda _: values.products(template, text, []),
        "OTP": lambda _: values.one_time_code(template, text),
    }
    has_file = template[0]["type"] == "HEADER"
    offers = any(one["type"] == "LIMITED_TIME_OFFER" for one in template)
    return [
        *(values.header(template, text) if has_file else []),
        *values.body(template, texts),
        *([values.offer(1)] if offers else []),
        *(makers[one["type"]](index) for index, one in enumerate(kinds)),
    ]


@given(NAMES, st.sampled_from([None, "IMAGE", "VIDEO", "DOCUMENT"]), KINDS, st.booleans(), TEXTS)
def test_values_by_name_fit_their_template(
    names: list[str], file: str | None, kinds: list[str], offers: bool, text: str
) -> None:
    template = definition(names, file, kinds, offers=offers)

    found = built(template, [text] * len(names), text)

    assert template_fit.problem_of(template, found) is None
    for missing in found:
        kept = [one for one in found if one is not missing]
        is_optional = missing.get("sub_type") in {"quick_reply", "catalog"}
        assert (template_fit.problem_of(template, kept) is None) == is_optional


@given(st.integers(0, 5), TEXTS)
def test_values_by_number_fit_their_template(count: int, text: str) -> None:
    template = definition([str(one + 1) for one in range(count)], None, [], offers=False)

    fitting = values.body(template, [text] * count)
    more = values.body(template, [text] * (count + 1))

    assert template_fit.problem_of(template, fitting) is None
    assert template_fit.problem_of(template, more) is not None


@given(st.integers(2, 10), NAMES, TEXTS)
def test_values_of_cards_fit_a_carousel(count: int, names: list[str], text: str) -> None:
    components = definition(names, "IMAGE", ["URL"], offers=False)
    cards = [{"components": components}] * count
    template: list[dict[str, Any]] = [
        {"type": "BODY", "text": "Hi"},
        {"type": "CAROUSEL", "cards": cards},
    ]

    assert values.card_definitions(template) == [components] * count
    given_cards = [built(components, [text] * len(names), text)] * count

    assert template_fit.problem_of(template, [values.carousel(given_cards)]) is None
    assert template_fit.problem_of(template, [values.carousel(given_cards[1:])]) is not None


def test_a_button_with_values_twice_or_of_another_type_is_refused() -> None:
    template = definition([], None, ["URL"], offers=False)
    value = values.url(0, "a")

    twice = template_fit.problem_of(template, [value, value])
    other = template_fit.problem_of(
        template, [{**value, "parameters": [{"type": "payload", "payload": "a"}]}]
    )

    assert (twice, other) == (
        "template.buttons: a button has values twice",
        "template.buttons: button 0 needs one text",
    )


def test_an_offer_that_does_not_expire_takes_no_value() -> None:
    offer = {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"has_expiration": False}}
    template: list[dict[str, Any]] = [{"type": "BODY", "text": "Hi"}, offer]

    assert template_fit.problem_of(template, []) is None
    assert template_fit.problem_of(template, [values.offer(1)]) is not None


def test_the_providers_own_text_of_a_code_takes_the_code() -> None:
    template: list[dict[str, Any]] = [
        {"type": "BODY"},
        {"type": "BUTTONS", "buttons": [{"type": "OTP"}]},
    ]
    given_values = [*values.body(template, ["1"]), values.one_time_code(template, "1")]

    assert template_fit.problem_of(template, given_values) is None
    assert template_fit.problem_of(template, given_values[1:]) is not None
