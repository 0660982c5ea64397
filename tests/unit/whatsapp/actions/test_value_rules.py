"""Texts and template values are refused, or taken, by one rule wherever they come from."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from shared.api.errors import InvalidInput
from tests.integration.whatsapp.conftest import a_phone
from whatsapp.actions.calls.inputs import Text
from whatsapp.actions.campaigns.pages import recipients
from whatsapp.sending.drafts import UsedTemplate
from whatsapp.sending.inputs import MessageInput
from whatsapp.sending.payloads import draft_of, of_template

REFUSED: list[Any] = ["", " ", 5, None, "a\nb", "a\r\nb", "a\tb", "a     b"]
TAKEN = ["a", "a    b", "Ada, Grace", "\u00fc \U0001f6b2", "a\u2028b"]


def parts(value: Any) -> list[dict[str, Any]]:
    """Components with a value in each place that takes one."""
    parameters = [{"type": "text", "text": value}]
    url = {"type": "button", "sub_type": "url", "index": "0", "parameters": parameters}
    money = {"fallback_value": value, "code": "EUR", "amount_1000": 1000}
    shown = [
        {"type": "currency", "currency": money},
        {"type": "date_time", "date_time": {"fallback_value": value}},
        {"type": "coupon_code", "coupon_code": value},
    ]
    card = {"card_index": 0, "components": [{"type": "body", "parameters": parameters}]}
    return [
        {"type": "header", "parameters": parameters}, {"type": "BODY", "parameters": parameters},
        {"type": "body", "parameters": [{"type": "TEXT", "text": value}]},
        url, {"type": "carousel", "cards": [card]},
        *({"type": "body", "parameters": [one]} for one in shown),
    ]  # fmt: skip


@pytest.mark.parametrize("value", REFUSED)
def test_a_value_that_meta_refuses_is_refused_in_each_place(value: Any) -> None:
    for part in parts(value):
        with pytest.raises(
            InvalidInput, match="not empty and has no line break, tab or five spaces"
        ):
            of_template(UsedTemplate(name="bike_ready", language="en", components=[part]))
    rows: list[Any] = [{"to": "+447700900101", "bodyParams": [value]}]
    rows += [{"to": "+447700900101", "components": [part]} for part in parts(value)]

    assert [recipients.checked(row, 1, a_phone()) for row in rows] == [None] * len(rows)


@pytest.mark.parametrize("value", TAKEN)
def test_other_values_are_taken_as_they_are(value: str) -> None:
    draft = of_template(UsedTemplate(name="bike_ready", language="en", components=parts(value)))
    row = recipients.checked({"to": "+447700900101", "bodyParams": [value]}, 1, a_phone())

    assert draft.content["components"] == parts(value)
    assert row is not None
    assert row["bodyParams"] == [value]


def test_the_inbox_refuses_the_same_values() -> None:
    template = {"name": "bike_ready", "language": "en", "body": ["a\nb"]}
    body = MessageInput.model_validate({"template": template})
    table: Any = None

    with pytest.raises(InvalidInput, match=r"template\.body"):
        draft_of(table, "acme", body)


@pytest.mark.parametrize("text", ["Hello\r\nAda", "Hello\nAda", "Hello\rAda", "a\tb"])
def test_texts_pass_with_each_kind_of_line_end(text: str) -> None:
    assert TypeAdapter(Text).validate_python(text) == text
