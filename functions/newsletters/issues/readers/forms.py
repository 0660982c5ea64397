"""The parts of the pages of readers: HTML without script, and answers to software."""

from __future__ import annotations

import json
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Any

from shared.api.routing.public_pages import HEADERS, document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from http import HTTPStatus

_ISOLATE, _END = "\u2068", "\u2069"  # a name keeps its direction in a text of the other one


def filled_in(text: str, **names: str) -> str:
    """Return a text with names in it, of which one of the other direction keeps its own."""
    is_rtl = _has_rtl(text)
    return text.format(
        **{
            name: f"{_ISOLATE}{value}{_END}" if _has_rtl(value) is not is_rtl else value
            for name, value in names.items()
        }
    )


def page(
    status: HTTPStatus, language: str, title: str, *parts: str, head: str = ""
) -> dict[str, Any]:
    """Return a page; *parts* are HTML."""
    return document(status, language, title, "".join(parts), head=head)


def sentence(status: HTTPStatus, language: str, title: str, text: str = "") -> dict[str, Any]:
    """Return a page with a title and a sentence."""
    return page(status, language, title, paragraph(text) if text else "")


def answer(status: HTTPStatus, content: Mapping[str, Any], **headers: str) -> dict[str, Any]:
    """Return a JSON answer."""
    own = {**HEADERS, "Content-Type": "application/json; charset=utf-8", **headers}
    return {
        "statusCode": int(status),
        "headers": own,
        "body": json.dumps(content, ensure_ascii=False),
    }


def form(action: str, *parts: str) -> str:
    """Return a form that is sent to an address."""
    return f'<form method="post" action="{escape(action)}" novalidate>{"".join(parts)}</form>'


def paragraph(text: str) -> str:
    """Return a paragraph, in the direction of its text."""
    return f'<p dir="auto">{escape(text)}</p>'


def link(url: str, text: str) -> str:
    """Return a link in a paragraph; *url* is relative to the page."""
    return f'<p><a href="{escape(url)}">{escape(text)}</a></p>'


def alert(text: str) -> str:
    """Return a sentence that a screen reader says at once; empty without a text."""
    return f'<p role="alert" id="problem">{escape(text)}</p>' if text else ""


def text_field(
    name: str,
    label: str,
    *,
    kind: str = "text",
    autocomplete: str = "off",
    value: str = "",
    is_required: bool = False,
    is_wrong: bool = False,
) -> str:
    """Return a field with its label."""
    attributes = " required" if is_required else ""
    attributes += ' aria-invalid="true" aria-describedby="problem"' if is_wrong else ""
    direction = ' dir="ltr"' if kind == "email" else ""
    return (
        f'<label>{escape(label)}<input type="{kind}" name="{name}" value="{escape(value)}" maxlength="320"'
        f' autocomplete="{autocomplete}"{direction}{attributes}></label>'
    )


def trap(name: str) -> str:
    """Return a field that people neither see nor reach, and that programs fill in."""
    return (
        f'<div class="trap" aria-hidden="true"><label>{name}<input type="text" name="{name}" tabindex="-1"'
        ' autocomplete="off"></label></div>'
    )


def choice(kind: str, name: str, value: str, label: str, *, is_chosen: bool) -> str:
    """Return a checkbox or a radio button with its label."""
    chosen = " checked" if is_chosen else ""
    return (
        f'<label><input type="{kind}" name="{escape(name)}" value="{escape(value)}"{chosen}>'
        f" <bdi>{escape(label)}</bdi></label>"
    )


def group(legend: str, *parts: str) -> str:
    """Return fields under one name."""
    return f"<fieldset><legend>{escape(legend)}</legend>{''.join(parts)}</fieldset>"


def menu(name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> str:
    """Return a list of options, of which one is chosen. Each option's value is the language of its text."""
    shown = "".join(
        f'<option value="{value}" lang="{value}"{" selected" if value == chosen else ""}>{escape(text)}</option>'
        for value, text in options
    )
    return f'<label>{escape(label)}<select name="{name}">{shown}</select></label>'


def _has_rtl(text: str) -> bool:
    return any(unicodedata.bidirectional(sign) in {"R", "AL"} for sign in text)


def hidden(name: str, value: str) -> str:
    """Return a value that the form sends back."""
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'


def button(text: str, name: str = "act", value: str = "save") -> str:
    """Return a button that sends the form."""
    return f'<p><button type="submit" name="{name}" value="{escape(value)}">{escape(text)}</button></p>'
