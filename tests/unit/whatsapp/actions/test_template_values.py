"""Values built from a template's definition always fit it, and the check notices each one that is missing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api.errors import InvalidInput
from tests.cases import each
from whatsapp.actions.templates.sending.slots import SLOTS, Given, components_of
from whatsapp.sending.failures import TemplateNotFitting
from whatsapp.sending.templates import fit

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


def given_values(
    template: list[dict[str, Any]], texts: list[str], text: str, place: str = ""
) -> list[Given]:
    """A value for each slot of the template."""
    values: dict[str, Any] = {"sections": (text, []), "offerExpirationTimestamp": 1}
    found = []
    for part in template:
        kinds = [one["type"] for one in part.get("buttons", [])]
        if part["type"] == "HEADER":
            found.append(Given("headerMediaId", {"id": text}, f"{place}headerMediaId"))
        elif part["type"] == "BODY" and texts:
            found.append(Given("bodyParams", texts, f"{place}bodyParams"))
        elif part["type"] == "LIMITED_TIME_OFFER":
            found.append(Given("offerExpirationTimestamp", 1, "offerExpirationTimestamp"))
        for index, kind in enumerate(kinds):
            name = next(name for name, slot in SLOTS.items() if kind in slot.kinds)
            found.append(Given(name, values.get(name, text), f"{place}{name}", index))
    return found


@given(NAMES, st.sampled_from([None, "IMAGE", "VIDEO", "DOCUMENT"]), KINDS, st.booleans(), TEXTS)
def test_values_by_name_fit_their_template(
    names: list[str], file: str | None, kinds: list[str], offers: bool, text: str
) -> None:
    template = definition(names, file, kinds, offers=offers)

    values = given_values(template, [text] * len(names), text)

    found = components_of(template, values)

    assert fit.problem_of(template, found) is None
    for missing in values:
        kept = [one for one in values if one is not missing]
        if missing.slot in {"payload", "thumbnailProductRetailerId"}:
            assert len(components_of(template, kept)) == len(found) - 1
            continue
        with pytest.raises(TemplateNotFitting, match=r"^\w+: "):
            components_of(template, kept)


@given(st.integers(0, 5), TEXTS)
def test_values_by_number_fit_their_template(count: int, text: str) -> None:
    template = definition([str(one + 1) for one in range(count)], None, [], offers=False)

    fitting = [Given("bodyParams", [text] * count, "bodyParams")] if count else []
    more = [Given("bodyParams", [text] * (count + 1), "bodyParams")]

    assert fit.problem_of(template, components_of(template, fitting)) is None
    with pytest.raises(TemplateNotFitting, match=f"^bodyParams: needs {count} values"):
        components_of(template, more)


@given(st.integers(2, 10), NAMES, TEXTS)
def test_values_of_cards_fit_a_carousel(count: int, names: list[str], text: str) -> None:
    components = definition(names, "IMAGE", ["URL"], offers=False)
    cards = [{"components": components}] * count
    template: list[dict[str, Any]] = [
        {"type": "BODY", "text": "Hi"},
        {"type": "CAROUSEL", "cards": cards},
    ]

    given_cards = [given_values(components, [text] * len(names), text)] * count

    found = components_of(template, [Given("cards", given_cards, "cards")])

    assert fit.problem_of(template, found) is None
    with pytest.raises(TemplateNotFitting, match=f"^cards: needs {count} cards"):
        components_of(template, [Given("cards", given_cards[1:], "cards")])


def test_a_button_with_values_twice_or_of_another_type_is_refused() -> None:
    template = definition([], None, ["URL"], offers=False)
    value = Given("urlSuffix", "a", "buttonParams.0", 0)

    with pytest.raises(TemplateNotFitting, match=r"^buttonParams: a button has values twice"):
        components_of(template, [value, value])
    with pytest.raises(TemplateNotFitting, match=r"^buttonParams.1: .* no QUICK_REPLY button"):
        components_of(template, [value, Given("payload", "a", "buttonParams.1", 0)])


def test_an_offer_that_does_not_expire_takes_no_value() -> None:
    offer = {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"has_expiration": False}}
    template: list[dict[str, Any]] = [{"type": "BODY", "text": "Hi"}, offer]

    assert components_of(template, []) == []
    with pytest.raises(TemplateNotFitting, match=r"^offerExpirationTimestamp: "):
        components_of(template, [Given("offerExpirationTimestamp", 1, "offerExpirationTimestamp")])


def test_the_providers_own_text_of_a_code_takes_the_code() -> None:
    template: list[dict[str, Any]] = [
        {"type": "BODY"},
        {"type": "BUTTONS", "buttons": [{"type": "OTP"}]},
    ]
    body, code = Given("bodyParams", ["1"], "otpCode"), Given("otpCode", "1", "otpCode")

    assert len(components_of(template, [body, code])) == 2
    with pytest.raises(TemplateNotFitting, match=r"^bodyParams: needs 1 value"):
        components_of(template, [code])


def image(link: object) -> dict[str, Any]:
    return {"type": "image", "image": {"link": link}}


BODY, HEADER = "body", "header"


@each(
    "component, field",
    [
        ({"type": BODY, "parameters": [{"type": "text", "text": "a"}]}, None),
        ({"type": BODY, "parameters": [{"type": "text", "text": " "}]}, "template.body"),
        ({"type": BODY, "parameters": [{"type": "text", "text": "a\nb"}]}, "template.body"),
        ({"type": HEADER, "parameters": [{"type": "image", "image": {"id": "1"}}]}, None),
        ({"type": HEADER, "parameters": [image("https://acme.example/a.png")]}, None),
        ({"type": HEADER, "parameters": [image("ftp://acme.example/a")]}, "template.header.link"),
        ({"type": HEADER, "parameters": [image(7)]}, "template.header.link"),
    ],
)
def test_a_refused_value_names_its_component_and_in_a_card_the_card(
    component: dict[str, Any], field: str | None
) -> None:
    fine = {"type": BODY, "parameters": [{"type": "text", "text": "b"}]}
    cards = {"type": "carousel", "cards": [{"components": [fine]}, {"components": [component]}]}
    if field is None:
        fit.check_values([fine, component, cards])
        return
    inner = field.removeprefix("template.")
    for given_, place in (([fine, component], field), ([cards], f"template.cards.1.{inner}")):
        with pytest.raises(InvalidInput) as refused:
            fit.check_values(given_)
        assert [one["field"] for one in refused.value.problems] == [place]


@each(
    "part, problem",
    [
        ({"type": BODY, "parameters": []}, "template.body: the template has none"),
        ({"type": HEADER, "parameters": []}, "template.header: the template has none"),
        (None, None),
    ],
)
def test_values_of_a_part_that_the_template_lacks_are_refused(
    part: dict[str, Any] | None, problem: str | None
) -> None:
    assert fit.problem_of([], [part] if part else []) == problem


def test_a_name_too_many_and_a_card_whose_values_do_not_fit_are_refused() -> None:
    named = [{"type": "BODY", "text": "Hello {{first}}"}]
    values = [{"type": "text", "text": "a", "parameter_name": name} for name in ("first", "second")]
    carousel = [{"type": "CAROUSEL", "cards": [{"components": named}]}]

    def problem(*given_: dict[str, Any]) -> str | None:
        body = {"type": BODY, "parameters": [*given_]}
        card = {"type": "carousel", "cards": [{"components": [body]}]}
        found = fit.problem_of(carousel, [card])
        alone = fit.problem_of(named, [body])
        assert found == (alone and alone.replace("template.", "template.cards.0."))
        return alone

    assert problem(values[0]) is None
    assert problem(*values) == problem() == "template.body: needs values by name: first"
