"""
Marks of what customers share over WhatsApp besides text and files: contacts, orders, products, forms, reactions.

Providers' fields are in `extra` of a message, as received: every value may be missing or of another type.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conversations.ai.prompt.marks import mark, quoted, value
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conversations.store.items.log import Message

MOST_PARTS = 5  # contacts of a message, articles of an order, numbers of a contact
LONGEST_SIGN = 16  # characters of an emoji
MOST_FIELDS = 20  # of a form
_FORM_TOKENS = frozenset({"flow_token", "wa_flow_response_params"})


def marks_of(message: Message) -> Iterator[str]:
    """Yield the marks of a message's content other than text, files and quotes."""
    extra = message.extra
    context = _map(extra.get("context"))
    is_forwarded = context.get("forwarded") or context.get("frequently_forwarded")
    if is_forwarded or extra.get("Forwarded") == "true":
        yield mark("forwarded", "written by someone else")
    if product := _map(context.get("referred_product")):
        yield mark("product", f"article {_text(product, 'product_retailer_id')}")
    if referral := _map(extra.get("referral")):
        yield mark("advertisement", _text(referral, "headline"), _text(referral, "body"))
    if message.location:
        yield _location(message.location)
    yield from _of_kind(message)


def _of_kind(message: Message) -> Iterator[str]:
    extra = message.extra
    match message.kind:
        case "contacts":
            contacts = _maps(extra.get("contacts"))
            yield from map(_contact, contacts)
            if not contacts and not message.media:
                yield mark("contact", "not shown to you")
        case "unknown":
            yield _unknown(str(extra.get("type") or extra.get("MessageType") or ""), extra)


def reaction(message: Message, target: str | None) -> str:
    """Return the mark of a reaction to the message described by *target*."""
    emoji = message.content
    if not emoji or emoji == "[reaction]":
        return mark("reaction", "removed", f"from: {target}" if target else "")
    return mark(f"reaction {value(emoji)[:LONGEST_SIGN]}", f"to: {target}" if target else "")


def _location(location: dict[str, str]) -> str:
    place = (location.get(name, "") for name in ("latitude", "longitude", "name", "address"))
    return mark("location", *place)


def _contact(contact: dict[str, Any]) -> str:
    name, org = _map(contact.get("name")), _map(contact.get("org"))
    phones = (_text(phone, "phone") for phone in _maps(contact.get("phones")))
    emails = (_text(email, "email") for email in _maps(contact.get("emails")))
    addresses = (
        " ".join(_text(address, part) for part in ("street", "zip", "city"))
        for address in _maps(contact.get("addresses"))
    )
    return mark(
        "contact",
        _text(name, "formatted_name"),
        _text(org, "company"),
        *phones,
        *emails,
        *addresses,
    )


def _unknown(word: str, extra: dict[str, Any]) -> str:
    if word == "order":
        return _order(_map(extra.get("order")))
    reply = _map(_map(extra.get("interactive")).get("nfm_reply"))
    if reply:
        return _form(reply)
    return mark("unsupported", word.replace("_", " ") if word != "unsupported" else "")


def _order(order: dict[str, Any]) -> str:
    articles = [
        f"{_text(item, 'quantity')} x article {_text(item, 'product_retailer_id')}"
        f" at {_text(item, 'item_price')} {_text(item, 'currency')}".rstrip()
        for item in _maps(order.get("product_items"))
    ]
    note = _text(order, "text")
    return mark("order", *articles, quoted(note) if note else "")


def _form(reply: dict[str, Any]) -> str:
    answers = json_object(_text(reply, "response_json")) or {}
    shown = [
        f"{name} = {answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)}"
        for name, answer in answers.items()
        if name not in _FORM_TOKENS
    ]
    return mark("form", _text(reply, "name"), *shown[:MOST_FIELDS])


def _map(part: object) -> dict[str, Any]:
    return part if isinstance(part, dict) else {}


def _maps(parts: object) -> list[dict[str, Any]]:
    listed = parts if isinstance(parts, list) else []
    return [part for part in listed if isinstance(part, dict)][:MOST_PARTS]


def _text(part: dict[str, Any], name: str) -> str:
    found = part.get(name)
    return "" if found is None or isinstance(found, dict | list) else str(found)
