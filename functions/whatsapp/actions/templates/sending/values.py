"""
Builds the values of a template message in Meta's structure, from a call's values and the definition. Pure.

The definition decides about the kind of the header, the names of variables and the positions of buttons. Whether
all values are there is checked later (`whatsapp.sending.template_fit`). (Meta, "Send message templates".)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.sending import template_fit
from whatsapp.sending.failures import TemplateNotSendable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

type Definition = Sequence[Mapping[str, Any]]
type Components = list[dict[str, Any]]

_MEDIA = frozenset({"image", "video", "document"})


def header(definition: Definition, media_id: str | None, link: str | None = None) -> Components:
    """Return the file of the header; none if the call names no file. Raises TemplateNotSendable."""
    if media_id is None and link is None:
        return []
    kind = str(_part(definition, "HEADER").get("format", "")).lower()
    if kind not in _MEDIA:
        raise TemplateNotSendable("template.header: the template's header is not a file")
    source = {"id": media_id} if media_id else {"link": link}
    return [{"type": "header", "parameters": [{"type": kind, kind: source}]}]


def body(definition: Definition, values: Sequence[str] | None) -> Components:
    """Return the values of the body: by name if the template's variables have names, in the order of its text."""
    if not values:
        return []
    names = template_fit.body_variables(definition)
    are_named = any(not name.isdecimal() for name in names) and len(names) == len(values)
    parameters: list[dict[str, Any]] = [{"type": "text", "text": value} for value in values]
    if are_named:
        for name, parameter in zip(names, parameters, strict=True):
            parameter["parameter_name"] = name
    return [{"type": "body", "parameters": parameters}]


def url(index: int, suffix: str) -> dict[str, Any]:
    """Return the variable part of a URL button's address."""
    return _button(index, "url", {"type": "text", "text": suffix})


def payload(index: int, text: str) -> dict[str, Any]:
    """Return the payload of a quick reply button."""
    return _button(index, "quick_reply", {"type": "payload", "payload": text})


def coupon(definition: Definition, code: str) -> dict[str, Any]:
    """Return the code of the button that copies it. Raises TemplateNotSendable."""
    index = _position(definition, "COPY_CODE")
    return _button(index, "copy_code", {"type": "coupon_code", "coupon_code": code})


def one_time_code(definition: Definition, code: str) -> dict[str, Any]:
    """Return the code of the button of an authentication template. Raises TemplateNotSendable."""
    # Approved authentication templates are listed with a URL button in place of the OTP button.
    kinds = ("OTP", "URL")
    return url(_position(definition, *kinds), code)


def catalog(definition: Definition, thumbnail: str) -> dict[str, Any]:
    """Return the product whose picture the catalog button shows. Raises TemplateNotSendable."""
    action = {"thumbnail_product_retailer_id": thumbnail}
    index = _position(definition, "CATALOG")
    return _button(index, "catalog", {"type": "action", "action": action})


def products(
    definition: Definition, thumbnail: str, sections: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the products of the multi-product button. Raises TemplateNotSendable."""
    action = {"thumbnail_product_retailer_id": thumbnail, "sections": [*sections]}
    index = _position(definition, "MPM")
    return _button(index, "mpm", {"type": "action", "action": action})


def offer(expires_at_ms: int) -> dict[str, Any]:
    """Return the end of a limited-time offer, in milliseconds since 1970."""
    ends = {"expiration_time_ms": expires_at_ms}
    parameter = {"type": "limited_time_offer", "limited_time_offer": ends}
    return {"type": "limited_time_offer", "parameters": [parameter]}


def card_definitions(definition: Definition) -> list[Definition]:
    """Return the definitions of a carousel's cards. Raises TemplateNotSendable."""
    carousel = _part(definition, "CAROUSEL")
    if not carousel:
        raise TemplateNotSendable("template.cards: the template has none")
    return [card.get("components", []) for card in carousel.get("cards", [])]


def carousel(cards: Sequence[Components]) -> dict[str, Any]:
    """Return the values of a carousel's cards."""
    return {
        "type": "carousel",
        "cards": [
            {"card_index": index, "components": components}
            for index, components in enumerate(cards)
        ],
    }


def expiry_minutes(definition: Definition) -> int | None:
    """Return the expiry of a code in minutes, as an authentication template states it; None if it does not."""
    minutes = _part(definition, "FOOTER").get("code_expiration_minutes")
    return int(minutes) if minutes is not None else None


def _part(definition: Definition, kind: str) -> Mapping[str, Any]:
    return next((one for one in definition if str(one.get("type")).upper() == kind), {})


def _position(definition: Definition, *kinds: str) -> int:
    """Return the position of the first button of one of these kinds. Raises TemplateNotSendable."""
    buttons = _part(definition, "BUTTONS").get("buttons", [])
    for kind in kinds:
        for index, button in enumerate(buttons):
            if str(button.get("type")).upper() == kind:
                return index
    raise TemplateNotSendable(f"template.buttons: the template has no {kinds[0]} button")


def _button(index: int, sub_type: str, parameter: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "button",
        "sub_type": sub_type,
        "index": str(index),
        "parameters": [dict(parameter)],
    }
