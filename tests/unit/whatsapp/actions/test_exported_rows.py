"""Rows of exports, and the search for a text: pure functions, for any text."""

import csv
import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from whatsapp.actions.conversations.message_search import has_text
from whatsapp.store.items import Message
from whatsapp.worker import message_exports

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


def a_message(**facts: Any) -> Message:
    return Message(
        pk="MSG#wamid.1",
        company="acme",
        direction="INBOUND",
        received_at="2026-01-01T11:00:00.000Z",
        from_="447700900101",
        type="text",
        phone="106540352242922",
        payload_hash="-",
        **facts,
    )


@given(text=TEXTS)
@settings(derandomize=True)
def test_no_cell_begins_a_formula_and_every_text_is_kept(text: str) -> None:
    content = message_exports.rendered([a_message(text_body=text)], "csv").decode()

    (row,) = csv.DictReader(io.StringIO(content, newline=""))
    assert not row["text"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row["text"] in {text, f"'{text}"}


@given(text=TEXTS, caption=TEXTS)
@settings(derandomize=True)
def test_every_message_is_one_line_of_json(text: str, caption: str) -> None:
    messages = [a_message(text_body=text, caption=caption)] * 2
    lines = message_exports.rendered(messages, "jsonl").decode().split("\n")

    assert lines[-1] == ""
    rows = [json.loads(line) for line in lines[:-1]]
    assert [(row.get("text", ""), row.get("caption", "")) for row in rows] == [(text, caption)] * 2


@given(before=TEXTS, query=st.text("äbcß", min_size=2, max_size=8), after=TEXTS)
@settings(derandomize=True)
def test_a_text_is_found_in_any_case_and_at_any_place(before: str, query: str, after: str) -> None:
    message = a_message(text_body=f"{before} {query.upper()} {after}")

    assert has_text(message, query)
    assert has_text(a_message(caption=query), query.upper())
    assert not has_text(a_message(text_body="x"), query)
