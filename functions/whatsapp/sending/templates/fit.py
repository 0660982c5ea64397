"""
Whether the values of a template message fit the template's components. Pure; both are in Meta's structure.

The definition has HEADER, BODY, BUTTONS, CAROUSEL and LIMITED_TIME_OFFER; a message has a component for each part with
values, and one per button (Meta, "Send message templates").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from shared.runtime.validation import web_addresses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_VARIABLE = re.compile(r"{{\s*(\w+)\s*}}")
_TEXT = "TEXT"
_REFUSED = re.compile(r"[\n\r\t]| {5}")
VALUE_RULE = (
    "a value must be a text that is not empty and has no line break, tab or five spaces in a row"
)
# The kinds of a button's definition: the `sub_type` of its values.
SUB_TYPES = {
    "URL": "url",
    "OTP": "url",
    "COPY_CODE": "copy_code",
    "QUICK_REPLY": "quick_reply",
    "FLOW": "flow",
    "CATALOG": "catalog",
    "MPM": "mpm",
    "SPM": "mpm",
    "ORDER_DETAILS": "order_details",
    "VOICE_CALL": "voice_call",
}
_TEXTS = frozenset({"text", "coupon_code"})
_WITH_FALLBACK = frozenset(
    {"currency", "date_time"}
)  # the text that WhatsApp shows if it cannot localise the value
# A button that shows one product (SPM) takes none: the product is the value of the header.
_ALWAYS_WITH_VALUE = frozenset({"OTP", "COPY_CODE", "MPM", "ORDER_DETAILS"})
# The type of the one parameter of a button's values, by `sub_type`; others are checked by the provider.
_PARAMETERS = {
    "url": "text",
    "copy_code": "coupon_code",
    "quick_reply": "payload",
    "flow": "action",
    "catalog": "action",
    "mpm": "action",
}


def check_values(given: Sequence[Mapping[str, Any]]) -> None:
    """
    Raise InvalidInput for a text that Meta refuses as a value of a template (errors 131008 and 132018), and for a file
    whose link is not public.
    """
    for component in given:
        found = _refused(component)
        if found is not None:
            place, rule = found
            raise InvalidInput([{"field": f"template.{place}", "problem": rule}])


def is_value(text: str) -> bool:
    """Whether Meta takes a text as a value of a template."""
    return bool(text.strip()) and _REFUSED.search(text) is None


def _refused(component: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the place and the rule of the first refused parameter of a component, or of its cards."""
    place = str(component.get("type")).lower()
    for parameter in component.get("parameters") or ():
        text = _text_of(parameter)
        if text is not None and not is_value(text):
            return place, VALUE_RULE
        file = parameter.get(str(parameter.get("type")))
        link = file.get("link") if isinstance(file, dict) else None
        if link is not None and not (isinstance(link, str) and web_addresses.is_link(link)):
            return f"{place}.link", web_addresses.LINK_RULE
    for index, card in enumerate(component.get("cards") or ()):
        for part in card.get("components") or ():
            found = _refused(part)
            if found is not None:
                inner, rule = found
                return f"cards.{index}.{inner}", rule
    return None


def _text_of(parameter: Mapping[str, Any]) -> str | None:
    """Return the text that a parameter shows, empty if it is no text; None if it shows none."""
    kind = str(parameter.get("type")).lower()
    value = parameter.get(kind)
    if kind in _WITH_FALLBACK:
        value = value.get("fallback_value") if isinstance(value, dict) else None
    elif kind not in _TEXTS:
        return None
    return value if isinstance(value, str) else ""


def problem_of(
    definition: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]
) -> str | None:
    """Return the problem of the values, with the fitting ones; None if all values fit. Texts never contain a value."""
    parts = {str(part.get("type")).upper(): part for part in definition}
    values = {str(part.get("type")).lower(): part for part in given}
    buttons = parts.get("BUTTONS", {}).get("buttons", [])
    return (
        _header(parts.get("HEADER", {}), values.get("header"))
        or _body(body_variables(definition), values.get("body"))
        or _buttons(buttons, given)
        or _offer(parts.get("LIMITED_TIME_OFFER"), values.get("limited_time_offer"))
        or _carousel(parts.get("CAROUSEL"), values.get("carousel"))
        or _unknown(parts, values)
    )


def _header(header: Mapping[str, Any], given: Mapping[str, Any] | None) -> str | None:
    kind = str(header.get("format", _TEXT)).upper()
    parameters = list((given or {}).get("parameters", []))
    if kind != _TEXT:
        wanted = kind.lower()
        if [one.get("type") for one in parameters] not in ([wanted], ["product"]):
            return f"template.header: needs one {wanted}"
        return None
    names = variables(header)
    if len(parameters) != len(names):
        return f"template.header: needs {len(names)} values"
    return None


def _body(names: list[str], given: Mapping[str, Any] | None) -> str | None:
    parameters = list((given or {}).get("parameters", []))
    if any(not name.isdecimal() for name in names):
        if {one.get("parameter_name") for one in parameters} != set(names):
            return f"template.body: needs values by name: {', '.join(names)}"
        return None
    is_positional = all("parameter_name" not in one for one in parameters)
    if len(parameters) != len(names) or not is_positional:
        return f"template.body: needs {len(names)} values in a list"
    return None


def _buttons(
    buttons: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]
) -> str | None:
    with_values = [part for part in given if str(part.get("type")).lower() == "button"]
    values = {str(part.get("index")): str(part.get("sub_type", "")).lower() for part in with_values}
    if len(values) != len(with_values):
        return "template.buttons: a button has values twice"
    needed = {str(index) for index, button in enumerate(buttons) if needs_value(button)}
    possible = {
        str(index): SUB_TYPES.get(str(button.get("type")).upper(), "")
        for index, button in enumerate(buttons)
        # A URL without a variable takes no value.
        if str(button.get("type")).upper() != "URL" or str(index) in needed
    }
    if not needed <= values.keys() or not values.keys() <= possible.keys():
        return f"template.buttons: needs values for the buttons {sorted(map(int, needed))}"
    for index, sub_type in values.items():
        if sub_type != possible[index]:
            return f"template.buttons: button {index} is a {possible[index] or 'button without values'}"
    for part in with_values:
        wanted = _PARAMETERS.get(str(part.get("sub_type", "")).lower())
        if wanted and [one.get("type") for one in part.get("parameters", [])] != [wanted]:
            return f"template.buttons: button {part.get('index')} needs one {wanted}"
    return None


def needs_value(button: Mapping[str, Any]) -> bool:
    """Whether a button of a definition needs a value."""
    return (
        str(button.get("type")).upper() in _ALWAYS_WITH_VALUE
        or _VARIABLE.search(str(button.get("url", ""))) is not None
    )


def _offer(offer: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> str | None:
    # An offer that does not expire shows no countdown, and takes no value.
    expires = (
        offer is not None
        and (offer.get("limited_time_offer") or {}).get("has_expiration") is not False
    )
    if expires and given is None:
        return "template.limited_time_offer: is missing: the template shows when its offer ends"
    if given is not None and not expires:
        return "template.limited_time_offer: is not in the template: it shows no end of an offer"
    return None


def _carousel(carousel: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> str | None:
    if carousel is None:
        return None if given is None else "template.cards: the template has none"
    cards, values = carousel.get("cards", []), (given or {}).get("cards", [])
    if len(cards) != len(values):
        return f"template.cards: needs {len(cards)} cards"
    for index, (card, value) in enumerate(zip(cards, values, strict=True)):
        found = problem_of(card.get("components", []), value.get("components", []))
        if found is not None:
            return f"template.cards.{index}.{found.removeprefix('template.')}"
    return None


def _unknown(parts: Mapping[str, Any], values: Mapping[str, Any]) -> str | None:
    if "header" in values and "HEADER" not in parts:
        return "template.header: the template has none"
    if "body" in values and "BODY" not in parts:
        return "template.body: the template has none"
    return None


def body_variables(definition: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names or numbers of the variables of a template's body, each once, in order."""
    parts = {str(part.get("type")).upper(): part for part in definition}
    body, buttons = parts.get("BODY", {}), parts.get("BUTTONS", {}).get("buttons", [])
    if "text" not in body and any(str(each.get("type")).upper() == "OTP" for each in buttons):
        return ["1"]  # The provider's own text of an authentication template, with the code.
    return variables(body)


def variables(component: Mapping[str, Any]) -> list[str]:
    """Return the names or numbers of a text's variables, each once, in order."""
    return list(dict.fromkeys(_VARIABLE.findall(str(component.get("text") or ""))))
