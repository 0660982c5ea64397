"""The event on the queue, and the ids that make two deliveries one event."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from richpanel.inbound.channels import Channel, channel_names
from richpanel.inbound.event import (
    RichpanelEvent,
    deduplication_id,
    event_id_of_message,
    event_id_of_text,
    is_event_id,
)
from richpanel.inbound.queued_events import parse_event
from shared.runtime.failures import Permanent
from shared.runtime.settings import SettingInvalid
from tests.cases import each

TEN_OCLOCK = 1_772_445_600_000  # 2026-03-02T10:00:00Z

EVENT = RichpanelEvent(
    conversation_id="70411",
    event_id="evt:rp:70411:c-1",
    adopts=None,
    message_id="c-1",
    source="webhook",
    channel=Channel.LIVECHAT,
    trigger="customer_replied",
    created_at=TEN_OCLOCK,
    received_at=TEN_OCLOCK + 1,
    accepted_at=TEN_OCLOCK + 2,
    text='Hallo "Welt" \u00fc \U0001f600',
    attachments=1,
)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_an_event_is_parsed_as_it_was_queued() -> None:
    assert parse_event(EVENT.to_json()) == EVENT
    minimal = replace(EVENT, event_id=None, message_id=None, created_at=None, text="")
    assert parse_event(minimal.to_json()) == minimal


def test_the_body_of_a_queue_entry_is_ascii_and_its_group_the_conversation() -> None:
    entry = EVENT.entry("d")

    assert entry.body.isascii()
    assert (entry.group, entry.deduplication) == ("70411", "d")


def test_a_field_of_a_newer_webhook_function_is_ignored() -> None:
    assert parse_event(changed(mood="cheerful")) == EVENT


def changed(**fields: Any) -> str:
    return json.dumps(json.loads(EVENT.to_json()) | fields)


@each(
    "body",
    [
        "",
        "[]",
        "{}",
        "null",
        changed(conversation_id=""),
        changed(conversation_id="a b"),
        changed(conversation_id=70411),
        changed(event_id="evt:rp:70412:c-1"),
        changed(event_id=5),
        changed(adopts="c-1"),
        changed(source="dream"),
        changed(channel="telegraph"),
        changed(channel=None),
        changed(created_at="2026-03-02"),
        changed(accepted_at=None),
        changed(accepted_at=-1),
        changed(accepted_at=True),
        changed(text=None),
        changed(attachments="1"),
        json.dumps({"v": 1}),
    ],
)
def test_any_other_queue_record_is_permanently_malformed(body: str) -> None:
    with pytest.raises(Permanent, match=r"^malformed_event$"):
        parse_event(body)


def test_a_message_with_an_id_has_the_key_of_the_contract() -> None:
    assert event_id_of_message("70411", "c-1") == "evt:rp:70411:c-1"


@pytest.mark.parametrize("message_id", ["two words", "\U0001f600", "x" * 300, "tab\t", "\u00e9"])
def test_an_id_that_is_no_valid_key_is_replaced_by_its_hash(message_id: str) -> None:
    assert event_id_of_message("70411", message_id) == f"evt:rp:70411:{sha256(message_id)}"


@pytest.mark.parametrize("message_id", ["!", "~", "x" * 128, "a:b/c#d", "evt:rp:1:2"])
def test_any_other_id_is_unchanged(message_id: str) -> None:
    assert event_id_of_message("70411", message_id) == f"evt:rp:70411:{message_id}"


def test_a_message_without_an_id_is_identified_by_its_text_and_five_minute_bucket() -> None:
    expected = f"evt:rp:70411:{sha256('where is my order?2026-03-02T10:00Z')}"

    assert event_id_of_text("70411", "Where is my order?", TEN_OCLOCK) == expected
    assert event_id_of_text("70411", "Where is my order?", TEN_OCLOCK + 299_999) == expected


@pytest.mark.parametrize(
    "text",
    [
        "  Where   is\n\tmy order? ",
        "<p>Where is <b>my</b> order?</p>",
        "WHERE IS MY ORDER?",
        "Where&nbsp;is my order?",
        "\uff37here is my order\uff1f",
        "Where is<br/>my order?<!-- signature -->",
    ],
)
def test_the_same_words_marked_up_or_spaced_otherwise_are_the_same_message(text: str) -> None:
    plain = event_id_of_text("70411", "Where is my order?", TEN_OCLOCK)

    assert event_id_of_text("70411", text, TEN_OCLOCK) == plain


@pytest.mark.parametrize(
    ("conversation_id", "text", "moment"),
    [
        ("70412", "Where is my order?", TEN_OCLOCK),
        ("70411", "Where is our order?", TEN_OCLOCK),
        ("70411", "Where is my order?", TEN_OCLOCK + 300_000),
        ("70411", "Where is my order?", TEN_OCLOCK - 1),
        ("70411", "Is 3 < 4 where is my order?", TEN_OCLOCK),
    ],
)
def test_other_words_another_time_or_another_conversation_are_another_message(
    conversation_id: str, text: str, moment: int
) -> None:
    plain = event_id_of_text("70411", "Where is my order?", TEN_OCLOCK)

    assert event_id_of_text(conversation_id, text, moment) != plain


@pytest.mark.parametrize("text", ["", "  ", "<img src='x'>", "<p>&nbsp;</p>"])
def test_a_text_without_words_has_no_event_id(text: str) -> None:
    assert event_id_of_text("70411", text, TEN_OCLOCK) is None


@each(
    ("given", "is_one"),
    [
        ("evt:rp:70411:c-1", True),
        ("evt:rp:70411:" + "x" * 128, True),
        ("evt:rp:70411:" + "x" * 129, False),
        ("evt:rp:70411:", False),
        ("evt:rp:70411:a b", False),
        ("evt:rp:7041:c-1", False),
        ("EVT:RP:70411:c-1", False),
        ("c-1", False),
        ("act:rp_reply:70411:c-1", False),
    ],
)
def test_only_an_event_id_of_the_conversation_is_accepted(given: str, is_one: bool) -> None:
    assert is_event_id(given, "70411") == is_one


def test_the_queue_drops_repeats_by_the_hash_of_the_event_id() -> None:
    assert deduplication_id("evt:rp:70411:c-1") == sha256("evt:rp:70411:c-1")


def test_a_channel_name_of_the_help_desk_maps_to_one_of_our_channels() -> None:
    names = channel_names(("messenger=livechat", "Aircall=phone"))

    assert names["messenger"] is Channel.LIVECHAT
    assert names["aircall"] is Channel.PHONE
    assert names["email"] is Channel.EMAIL


@pytest.mark.parametrize(
    "pair", ["messenger", "=phone", "messenger=", "messenger=fax", "email=phone"]
)
def test_an_incomplete_or_contradictory_channel_fails_at_the_start(pair: str) -> None:
    with pytest.raises(SettingInvalid):
        channel_names((pair,))
