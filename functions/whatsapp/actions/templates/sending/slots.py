"""
The slots of a template: which parameter fills which part of its definition, in Meta's structure. Pure.

`SLOTS` is the one table of all actions that send templates. The definition decides about the kind of the header, the
names of variables and the positions of buttons; a parameter that has no place in it is refused with its name and the
rule, and so is a part that needs a value and has none. (Meta, "Send message templates".)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from whatsapp.sending.failures import TemplateNotFitting
from whatsapp.sending.templates import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

type Part = Mapping[str, Any]
type Definition = Sequence[Part]
type Components = list[dict[str, Any]]
type Parameters = list[dict[str, Any]]

HEADER, BODY, OFFER, CAROUSEL, BUTTONS = (
    "HEADER",
    "BODY",
    "LIMITED_TIME_OFFER",
    "CAROUSEL",
    "BUTTONS",
)
_ORDER = (HEADER, BODY, OFFER, CAROUSEL, BUTTONS)
_FILES = ("IMAGE", "VIDEO", "GIF", "DOCUMENT")


@dataclass(frozen=True, slots=True)
class Slot:
    """
    A place for values: a *part* of the definition, of one of *kinds* (formats of a header, types of a button; empty for
    other parts). *parameters* returns Meta's parameters of a value, given the part or the button of the definition.
    """

    part: str
    kinds: tuple[str, ...]
    parameters: Callable[[Part, Any], Parameters]


@dataclass(frozen=True, slots=True)
class Given:
    """A value for a slot. *field* is the parameter of the call; *index* the position of a button, None: the first."""

    slot: str
    value: Any
    field: str
    index: int | None = None


def _texts(part: Part, values: Sequence[str | dict[str, Any]]) -> Parameters:
    """Return values of variables: by name if the variables have names, in the order of the text."""
    names = fit.variables(part)
    are_named = any(not name.isdecimal() for name in names) and len(names) == len(values)
    parameters = [_text(one) if isinstance(one, str) else dict(one) for one in values]
    if are_named:
        for name, parameter in zip(names, parameters, strict=True):
            parameter["parameter_name"] = name
    return parameters


def _file(part: Part, source: dict[str, str]) -> Parameters:
    kind = _kind(part)
    named = source if kind == "DOCUMENT" else {k: v for k, v in source.items() if k != "filename"}
    return [{"type": kind.lower(), kind.lower(): named}]


def _text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def _action(**action: Any) -> Parameters:  # noqa: ANN401 - the provider's structure
    return [{"type": "action", "action": action}]


def _offer(_: Part, ends_at_ms: int) -> Parameters:
    offer = {"expiration_time_ms": ends_at_ms}
    return [{"type": "limited_time_offer", "limited_time_offer": offer}]


def _products(_: Part, value: tuple[str, list[dict[str, Any]]]) -> Parameters:
    thumbnail, sections = value
    return _action(thumbnail_product_retailer_id=thumbnail, sections=sections)


SLOTS: Final[Mapping[str, Slot]] = {
    "headerText": Slot(HEADER, ("TEXT",), lambda part, text: _texts(part, [text])),
    "headerMediaId": Slot(HEADER, _FILES, _file),
    "headerMediaLink": Slot(HEADER, _FILES, _file),
    "headerLocation": Slot(
        HEADER, ("LOCATION",), lambda _, place: [{"type": "location", "location": place}]
    ),
    "product": Slot(HEADER, ("PRODUCT",), lambda _, one: [{"type": "product", "product": one}]),
    "bodyParams": Slot(BODY, (), _texts),
    "offerExpirationTimestamp": Slot(OFFER, (), _offer),
    "cards": Slot(CAROUSEL, (), lambda _, cards: cards),
    "urlSuffix": Slot(BUTTONS, ("URL",), lambda _, text: [_text(text)]),
    "payload": Slot(
        BUTTONS, ("QUICK_REPLY",), lambda _, text: [{"type": "payload", "payload": text}]
    ),
    "couponCode": Slot(
        BUTTONS, ("COPY_CODE",), lambda _, code: [{"type": "coupon_code", "coupon_code": code}]
    ),
    "thumbnailProductRetailerId": Slot(
        BUTTONS, ("CATALOG",), lambda _, id_: _action(thumbnail_product_retailer_id=id_)
    ),
    "sections": Slot(BUTTONS, ("MPM",), _products),
    "flowId": Slot(BUTTONS, ("FLOW",), lambda _, action: _action(**action)),
    # Approved authentication templates are listed with a URL button in place of the OTP button.
    "otpCode": Slot(BUTTONS, ("OTP", "URL"), lambda _, code: [_text(code)]),
    "order": Slot(BUTTONS, ("ORDER_DETAILS",), lambda _, order: _action(order_details=order)),
}
# Slots that the entries of one parameter fill.
_BY_POSITION = {"urlSuffix": "buttonParams", "payload": "buttonParams"}


def components_of(definition: Definition, given: Iterable[Given], place: str = "") -> Components:
    """
    Return the values of a message, or of the card at *place*, in Meta's structure.

    Raises TemplateNotFitting with the parameter and the rule.
    """
    filled = [(SLOTS[one.slot].part, _component(definition, one)) for one in given]
    filled.sort(key=lambda one: (_ORDER.index(one[0]), int(one[1].get("index", 0))))
    components = [component for _, component in filled]
    problem = fit.problem_of(definition, components)
    if problem is not None:
        part, _, rule = problem.removeprefix("template.").partition(": ")
        raise TemplateNotFitting(f"{place}{_parameter_of(part, definition, components)}: {rule}")
    return components


def has_offer(definition: Definition) -> bool:
    """Whether a template shows a limited-time offer."""
    return bool(_part(definition, OFFER))


def stated_expiry(definition: Definition) -> int | None:
    """Return the expiry of a code in minutes, as an authentication template states it; None if it does not."""
    minutes = _part(definition, "FOOTER").get("code_expiration_minutes")
    return int(minutes) if minutes is not None else None


def _component(definition: Definition, one: Given) -> dict[str, Any]:
    slot = SLOTS[one.slot]
    if slot.part == BUTTONS:
        return _button(definition, one)
    part = _part(definition, slot.part)
    if slot.part == CAROUSEL:
        return {"type": "carousel", "cards": _cards(part, one)}
    if not part or (slot.kinds and _kind(part) not in slot.kinds):
        wanted = " or ".join(slot.kinds or (slot.part,))
        found = f"the template's header is {_kind(part)}" if part else "the template has none"
        raise TemplateNotFitting(f"{one.field}: is for {wanted}, and {found}")
    return {"type": slot.part.lower(), "parameters": slot.parameters(part, one.value)}


def _button(definition: Definition, one: Given) -> dict[str, Any]:
    slot, buttons = SLOTS[one.slot], _buttons(definition)
    positions = [n for kind in slot.kinds for n, each in enumerate(buttons) if _kind(each) == kind]
    if not positions:
        raise TemplateNotFitting(f"{one.field}: the template has no {slot.kinds[0]} button")
    index = positions[0] if one.index is None else one.index
    if index not in positions:
        problem = f"button {index} is no {slot.kinds[0]} button; those are {positions}"
        raise TemplateNotFitting(f"{one.field}: {problem}")
    button = buttons[index]
    return {
        "type": "button",
        "sub_type": fit.SUB_TYPES[_kind(button)],
        "index": str(index),
        "parameters": slot.parameters(button, one.value),
    }


def _cards(carousel: Part, one: Given) -> list[dict[str, Any]]:
    definitions = [card.get("components", []) for card in carousel.get("cards", [])]
    if not definitions:
        raise TemplateNotFitting(f"{one.field}: the template has none")
    if len(definitions) != len(one.value):
        raise TemplateNotFitting(f"{one.field}: needs {len(definitions)} cards")
    return [
        {
            "card_index": index,
            "components": components_of(definition, given, f"{one.field}.{index}."),
        }
        for index, (definition, given) in enumerate(zip(definitions, one.value, strict=True))
    ]


def _parameter_of(place: str, definition: Definition, components: Components) -> str:
    """Return the parameter that fills the place that `template_fit` names."""
    if place == "header":
        kind = _kind(_part(definition, HEADER))
        return next((name for name, slot in SLOTS.items() if kind in slot.kinds), "headerText")
    if place == "buttons":
        filled = {one["index"] for one in components if one["type"] == "button"}
        open_kinds = [
            _kind(button)
            for index, button in enumerate(_buttons(definition))
            if str(index) not in filled and fit.needs_value(button)
        ]
        slots = (name for kind in open_kinds for name, one in SLOTS.items() if kind in one.kinds)
        slot = next(slots, "payload")
        return _BY_POSITION.get(slot, slot)
    part = place.partition(".")[0].upper().replace("CARDS", CAROUSEL)
    return next((name for name, slot in SLOTS.items() if slot.part == part), place)


def _part(definition: Definition, kind: str) -> Part:
    return next((one for one in definition if str(one.get("type")).upper() == kind), {})


def _buttons(definition: Definition) -> Sequence[Part]:
    found: Sequence[Part] = _part(definition, BUTTONS).get("buttons", [])
    return found


def _kind(part: Part) -> str:
    """Return the format of a header, or the type of a button."""
    is_header = str(part.get("type")).upper() == HEADER
    return str(part.get("format", "TEXT") if is_header else part.get("type")).upper()
