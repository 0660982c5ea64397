"""How long a reply waits for further messages."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.configuration.burst_waits import BurstWait, BurstWaits
from conversations.lifecycle.burst_wait import follows_unanswered, looks_complete, seconds_after
from conversations.lifecycle.records.reply_trigger import ReplyTrigger, due_ms
from conversations.store.items.conversation import ChannelMethod, Role
from conversations.store.items.log import Message
from conversations.store.items.parts.state import State
from shared.runtime import clock
from tests.cases import each

WAIT = BurstWait(complete=1, fragment=5, file=9)
VOICE_NOTE = {"key": "k", "mime_type": "audio/ogg; codecs=opus"}


def message(content: str = "", at: str = "2026-01-01T12:00:20.000Z", **facts: Any) -> Message:
    known = {"entry_id": "e", "message_timestamp": at, "role": Role.USER, "author": "customer"}
    return Message(**(known | {"content": content} | facts))


@each(
    "text",
    [
        "Which shift is it?",
        "I am late.",
        "Great!",
        'She said "no".',
        "(Is that right?)",
        "いつですか？",  # noqa: RUF001 - a question in Japanese
        "متى الموعد؟",
        "मुझे चाहिए।",
        "I would like to move my appointment to next Tuesday",
        "thanks 😊",
        "👍🏽",
        "❤️",
        "Πότε αρχίζω;",
        "10115",
        "0171 2345678",
        "ann@x.example",
    ],
)
def test_the_end_of_a_sentence_or_a_long_text_looks_complete(text: str) -> None:
    assert looks_complete(message(text))


@each(
    "text",
    [
        "Hello",
        "yes I do",
        "one thing;",
        "I take 12",
        "1",
        "well...",
        "wait…",
        "the following:",
        "I would like to move my appointment to next Tuesday,",
        "I would like to move my appointment to next Tuesday..",
        "",
    ],
)
def test_a_short_text_without_end_and_a_text_that_announces_more_look_unfinished(text: str) -> None:
    assert not looks_complete(message(text))


@pytest.mark.parametrize(
    "facts", [{"button": {"payload": "yes"}}, {"kind": "location"}, {"kind": "interactive"}]
)
def test_a_button_a_form_and_a_place_are_complete(facts: dict[str, Any]) -> None:
    assert looks_complete(message("Yes", **facts))


@pytest.mark.parametrize(
    ("file", "seconds"),
    [
        ({"url": "u"}, 9),
        ({}, 9),
        ({"key": "k"}, 5),
        ({"refused": "TooLarge"}, 5),
        ({"failed": "x"}, 5),
        (VOICE_NOTE, 9),
        (VOICE_NOTE | {"transcript": "Hello"}, 5),
        (VOICE_NOTE | {"no_transcript": "too_large"}, 5),
    ],
)
def test_a_file_that_is_being_stored_or_written_down_delays_the_reply(
    file: dict[str, str], seconds: int
) -> None:
    note = message("[file]", media=[file])

    assert seconds_after(WAIT, note, is_burst=False, transcribes=True) == seconds


def test_a_stored_voice_note_delays_no_reply_of_a_project_that_does_not_transcribe() -> None:
    assert seconds_after(WAIT, message("[file]", media=[VOICE_NOTE]), is_burst=False) == 5


def test_a_complete_message_in_a_burst_waits_as_a_fragment_does() -> None:
    assert seconds_after(WAIT, message("It is red."), is_burst=False) == 1
    assert seconds_after(WAIT, message("It is red."), is_burst=True) == 5


@pytest.mark.parametrize(
    ("before", "answered_up_to", "expected"),
    [
        (None, None, False),
        ("2026-01-01T12:00:05.000Z", None, True),
        ("2026-01-01T12:00:04.999Z", None, False),  # over 15 seconds earlier
        ("2026-01-01T12:00:10.000Z", "MSG#2026-01-01T12:00:10.000Z#e", False),
        ("2026-01-01T12:00:10.000Z", "MSG#2026-01-01T12:00:09.000Z#e", True),
        ("2026-01-01T12:00:20.000Z", None, False),  # the message itself, at a retry
    ],
)
def test_a_burst_begins_with_an_unanswered_message_of_the_last_seconds(
    before: str | None, answered_up_to: str | None, *, expected: bool
) -> None:
    times: dict[str, Any] = {"last_inbound_at": before, "answered_up_to": answered_up_to}
    state = State.model_construct(**times)

    assert follows_unanswered(state, message("b")) is expected


def test_mails_wait_as_long_as_possible_and_other_channels_adapt() -> None:
    waits = BurstWaits()

    assert waits.of(ChannelMethod.EMAIL).complete == 10
    assert waits.of(ChannelMethod.WHATSAPP) == waits.of(ChannelMethod.SMS) == BurstWait()


def test_a_queue_message_without_a_time_or_of_another_form_is_due_at_once() -> None:
    at = "2026-01-01T12:00:00.000Z"
    trigger = ReplyTrigger(ref="r", message_sk="MSG#1", due_at=at)

    assert due_ms(trigger.body()) == clock.from_text(at)
    for body in ("", "[]", "null", '{"due_at": 5}', '{"due_at": "soon"}', '{"type": "resume"}'):
        assert due_ms(body) == 0
