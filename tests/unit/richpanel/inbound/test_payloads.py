"""Webhook payloads of the help desk and of relays, and the events parsed from them."""

import json
from typing import Any

import pytest

from richpanel.inbound.channels import Channel, channel_names
from richpanel.inbound.event import RichpanelEvent
from richpanel.inbound.payloads import Unreadable, events_of
from tests.cases import each

NOW = 1_772_445_780_000  # 2026-03-02T10:03:00Z
NAMES = channel_names(("messenger=livechat", "aircall=phone"))


def read(body: Any) -> list[RichpanelEvent]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return events_of(raw, NAMES, NOW)


def one(**fields: Any) -> RichpanelEvent:
    (event,) = read({"ticket_id": "1"} | fields)
    return event


def refused(body: Any) -> str:
    with pytest.raises(Unreadable) as caught:
        read(body)
    return caught.value.code


def test_a_minimal_call_gives_only_the_ticket_and_the_trigger() -> None:
    (event,) = read({"ticket_id": "1", "ticket_url": "https://a.example/1", "trigger": "new"})

    assert event == RichpanelEvent(
        conversation_id="1", event_id=None, adopts=None, message_id=None, source="webhook",
        channel=Channel.UNKNOWN, trigger="new", created_at=None, received_at=NOW, accepted_at=NOW,
        text="", attachments=0,
    )  # fmt: skip


def test_an_envelope_is_parsed_without_its_customer() -> None:
    (event,) = read(
        {
            "event_id": "evt:rp:1:given", "received_at": "2026-03-02T10:02:00.120Z",
            "conversation_id": "1", "channel": "email",
            "customer": {"email": "ann@example.com", "name": "Ann"},
            "message": {"id": "c-1", "created_at": "2026-03-02T10:01:00+00:00", "text": "Hi",
                        "attachments": [{"id": "f"}, {"id": "g"}]},
            "meta": {"anything": 1},
        }
    )  # fmt: skip

    assert event.event_id == "evt:rp:1:given"
    assert (event.message_id, event.text, event.attachments) == ("c-1", "Hi", 2)
    assert (event.received_at, event.created_at) == (1_772_445_720_120, 1_772_445_660_000)
    assert "example.com" not in event.to_json()


CONVERSATION: list[dict[str, Any]] = [
    {"conversation_id": "a"},
    {"ticket_id": "b"},
    {"ticket": {"id": "c"}},
    {"group_id": "d"},
]
MESSAGE: list[dict[str, Any]] = [
    {"message_id": "a"},
    {"message": {"id": "b"}},
    {"source_message_id": "c"},
]
CHANNEL: list[dict[str, Any]] = [
    {"channel": "email"},
    {"via": {"channel": "social"}},
    {"ticket": {"via": {"channel": "tiktok"}}},
]
CREATED: list[dict[str, Any]] = [
    {"message": {"created_at": 1_772_445_600}},
    {"created_at": 1_772_445_601},
    {"sent_at": 1_772_445_602},
]
TEXT: list[dict[str, Any]] = [
    {"message": {"text": "a"}},
    {"message": "b"},
    {"customer_message": "c"},
    {"text": "d"},
    {"body": "e"},
    {"content": "f"},
]


def from_the(position: int, named: list[dict[str, Any]]) -> dict[str, Any]:
    """An entry with the names from this position on; parts of one object are laid together."""
    entry: dict[str, Any] = {}
    for part in reversed(named[position:]):
        for name, value in part.items():
            both_are_objects = isinstance(value, dict) and isinstance(entry.get(name), dict)
            entry[name] = entry[name] | value if both_are_objects else value
    return entry


@pytest.mark.parametrize("position", range(4))
def test_the_first_name_of_the_conversation_wins(position: int) -> None:
    (event,) = read(from_the(position, CONVERSATION))

    assert event.conversation_id == "abcd"[position]


@pytest.mark.parametrize("position", range(3))
def test_the_first_name_of_the_message_wins(position: int) -> None:
    assert one(**from_the(position, MESSAGE)).event_id == f"evt:rp:1:{'abc'[position]}"


@pytest.mark.parametrize("position", range(3))
def test_the_first_name_of_the_channel_wins(position: int) -> None:
    expected = [Channel.EMAIL, Channel.SOCIAL, Channel.TIKTOK]

    assert one(**from_the(position, CHANNEL)).channel is expected[position]


@pytest.mark.parametrize("position", range(3))
def test_the_first_name_of_the_time_wins(position: int) -> None:
    assert one(**from_the(position, CREATED)).created_at == 1_772_445_600_000 + 1_000 * position


@pytest.mark.parametrize("position", range(6))
def test_the_first_name_of_the_text_wins(position: int) -> None:
    assert one(**from_the(position, TEXT)).text == "abcdef"[position]


@each("nothing", [None, "", "  ", "null", "undefined", "None", [], {}, True, 1.5])
def test_a_name_without_a_value_is_not_present(nothing: Any) -> None:
    """Templates write `null` or the like for a missing value: as an id it would make different messages equal."""
    assert one(conversation_id=nothing).conversation_id == "1"
    assert one(message_id=nothing).event_id is None
    assert one(message_id=nothing, source_message_id="c").event_id == "evt:rp:1:c"


def test_ids_may_be_numbers_and_have_blanks_around_them() -> None:
    assert one(ticket_id=70411, message_id=" c-1\n").event_id == "evt:rp:70411:c-1"


def test_a_conversation_id_that_is_no_valid_key_is_hashed() -> None:
    assert one(ticket_id="two words").conversation_id == (
        "a03f1d611645eb53ad16c1af546ca0792dc884505bab57ede80f4dad6b911d3a"
    )


@each(
    ("given", "channel"),
    [
        ("email", Channel.EMAIL),
        (" LiveChat ", Channel.LIVECHAT),
        ("messenger", Channel.LIVECHAT),
        ("aircall", Channel.PHONE),
        ("carrier pigeon", Channel.UNKNOWN),
        ("unknown", Channel.UNKNOWN),
        ("{{ticket.via.channel}}", Channel.UNKNOWN),
        (7, Channel.UNKNOWN),
        (None, Channel.UNKNOWN),
    ],
)
def test_a_channel_is_ours_mapped_or_unknown(given: Any, channel: Channel) -> None:
    assert one(channel=given).channel is channel


@each(
    ("given", "moment"),
    [
        ("2026-03-02T10:00:00Z", 1_772_445_600_000),
        ("2026-03-02T11:00:00.250+01:00", 1_772_445_600_250),
        ("2026-03-02T10:00:00", 1_772_445_600_000),
        ("2026-03-02", 1_772_409_600_000),
        (1_772_445_600, 1_772_445_600_000),
        (1_772_445_600.25, 1_772_445_600_250),
        (1_772_445_600_250, 1_772_445_600_250),
        ("1772445600", 1_772_445_600_000),
        (" 1772445600250 ", 1_772_445_600_250),
    ],
)
def test_a_time_is_iso_8601_or_a_number_of_seconds_or_milliseconds(given: Any, moment: int) -> None:
    assert one(created_at=given).created_at == moment


@each(
    "given",
    ["yesterday", "", 0, -5, True, [], {}, 10**30, "9" * 40, "\u0661\u0662", "1969-12-31", "{{x}}"],
)
def test_an_invalid_time_is_ignored(given: Any) -> None:
    assert one(created_at=given).created_at is None


def test_a_time_is_at_most_a_minute_ahead_of_the_clock() -> None:
    assert one(created_at="2026-03-02T10:03:59Z").created_at == NOW + 59_000
    assert one(created_at="2027-01-01T00:00:00Z").created_at == NOW + 60_000
    assert one(received_at="9999-12-31T23:59:59Z").received_at == NOW + 60_000


def test_a_future_message_has_the_same_id_whenever_it_is_delivered() -> None:
    body = json.dumps({"ticket_id": "1", "text": "hi", "created_at": "2027-01-01T00:00:00Z"})

    (first,) = events_of(body.encode(), NAMES, NOW)
    (later,) = events_of(body.encode(), NAMES, NOW + 3_600_000)
    assert first.event_id == later.event_id


def test_without_a_time_the_id_of_the_previous_bucket_is_adopted() -> None:
    """Three rules fire for one message, two before and one after the full five minutes."""
    (before,) = events_of(b'{"ticket_id": "1", "text": "hi"}', NAMES, NOW)
    (after,) = events_of(b'{"ticket_id": "1", "text": "hi"}', NAMES, NOW + 130_000)

    assert before.event_id != after.event_id
    assert after.adopts == before.event_id
    assert one(text="hi", created_at=1_772_445_600).adopts is None
    assert one(text="hi", message_id="c").adopts is None


def test_an_event_id_of_another_conversation_does_not_count() -> None:
    assert one(event_id="evt:rp:2:c-1", message_id="c-2").event_id == "evt:rp:1:c-2"
    assert one(event_id="c-1").event_id is None


def test_a_long_text_is_cut_and_its_id_covers_the_whole_text() -> None:
    long = one(text="x" * 5_000, created_at=1_772_445_600)
    longer = one(text="x" * 5_001, created_at=1_772_445_600)

    assert len(long.text) == 4_000
    assert long.event_id != longer.event_id


def test_a_text_with_half_an_emoji_is_accepted() -> None:
    (event,) = read(b'{"ticket_id": "1", "text": "a\\ud83d", "message_id": "b\\ud83d"}')

    assert event.text == "a?"
    assert event.to_json().isascii()


def test_a_trigger_is_cut() -> None:
    assert one(event_type="x" * 100).trigger == "x" * 64


def test_an_array_gives_one_event_per_entry_in_its_order() -> None:
    events = read([{"ticket_id": n} for n in range(25)])

    assert [event.conversation_id for event in events] == [str(n) for n in range(25)]


@each(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b'{"ticket_id": "1", "text": "a 6" nail"}', "invalid_json"),
        (b'{"ticket_id": NaN}', "invalid_json"),
        (b'{"ticket_id": "1", "a": Infinity}', "invalid_json"),
        (b'{"ticket_id": "\xff"}', "invalid_json"),
        (b"[" * 20_000, "invalid_json"),
        (b'{"ticket_id": ' + b"9" * 5_000 + b"}", "invalid_json"),
        ([], "no_entries"),
        ([{"ticket_id": "1"}] * 26, "too_many_entries"),
        ("text", "not_an_object"),
        (5, "not_an_object"),
        (None, "not_an_object"),
        ([{"ticket_id": "1"}, []], "not_an_object"),
        ({}, "no_conversation_id"),
        ({"text": "hi"}, "no_conversation_id"),
        ({"ticket_id": ""}, "no_conversation_id"),
        ({"ticket_id": None}, "no_conversation_id"),
        ({"ticket": "1"}, "no_conversation_id"),
        ([{"ticket_id": "1"}, {"text": "hi"}], "no_conversation_id"),
        ({"ticket_id": "{{ticket.id}}"}, "unrendered_placeholder"),
        ({"ticket_id": "1", "message_id": "c-{{x}}"}, "unrendered_placeholder"),
        ({"ticket_id": "1", "event_id": "{{event.id}}"}, "unrendered_placeholder"),
        ({"ticket_id": "sys:sweep"}, "reserved_id"),
        ({"ticket_id": " cust:abc"}, "reserved_id"),
        ({"ticket_id": "1", "message_id": "sys:x"}, "reserved_id"),
    ],
)
def test_an_invalid_payload_is_refused_with_its_reason(body: Any, code: str) -> None:
    assert refused(body) == code


def test_a_placeholder_in_a_text_is_accepted() -> None:
    assert one(text="What does {{ticket.id}} mean?").text == "What does {{ticket.id}} mean?"


def test_unknown_fields_are_ignored() -> None:
    assert one(surprise={"deep": [1]}).conversation_id == "1"
