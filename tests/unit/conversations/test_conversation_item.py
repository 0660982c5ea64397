"""The conversation's item against the data contract, and its window of messages."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from conversations.store.items.conversation import (
    SMALLEST_WINDOW_BYTES,
    SPARE_BYTES,
    UNIT_BYTES,
    ChannelMethod,
    Conversation,
    Entry,
    Role,
    bytes_of,
    room_for_window,
    stored_bytes,
    window,
)
from tests import template
from tests.cases import each

CONTRACT = Path(__file__).parents[4] / "shared" / "contracts" / "conversations.yaml"
# The contract's attributes, for checkouts without the contract: type, and whether it is required.
ATTRIBUTES = {
    "primary_channel": "S!", "conversation_id": "S!", "recipient_tel": "S", "recipient_email": "S",
    "company_id": "S!", "project_id": "S!", "channel_method": "S!", "conversation_status": "S!",
    "request_id": "S!", "messages": "L!", "created_at": "S!", "updated_at": "S!",
    "initial_request_timestamp": "S", "processor_version": "S", "router_version": "S", "thread_id": "S",
    "email_id": "S", "task_complete": "N!", "processing_time_ms": "N", "recipient_first_name": "S",
    "recipient_last_name": "S", "comms_consent": "BOOL!", "project_data": "M", "company_name": "S",
    "project_name": "S", "company_rep": "M", "allowed_channels": "L", "project_status": "S",
    "auto_queue_initial_message": "BOOL", "auto_queue_initial_message_from_number": "L",
    "auto_queue_initial_message_from_email": "L", "auto_queue_reply_message": "BOOL",
    "auto_queue_reply_message_from_number": "L", "auto_queue_reply_message_from_email": "L",
    "ai_config": "M", "channel_config": "M", "function_call": "BOOL!", "function_call_type": "S",
    "hand_off_to_human": "BOOL!", "hand_off_to_human_reason": "S", "ttl": "N", "gsi_recipient_tel": "S",
    "gsi_recipient_email": "S", "gsi_company_whatsapp_number": "S", "gsi_company_sms_number": "S",
    "gsi_company_email": "S",
}  # fmt: skip
# Pointers and recorded answers are separate: a request or a model could overwrite them in `project_data`.
OURS = (
    {"ref_key": "S", "ai_cost_micros": "N", "ai_version": "N", "hand_off_cause": "S"}
    | dict.fromkeys(["project_data_object", "recorded_answers", "recorded_answers_object"], "M")
    | {"replaced_answers": "L"}
)
OF_A_MESSAGE = {
    "entry_id": "S!", "message_timestamp": "S!", "role": "S!", "content": "S!", "ai_prompt_tokens": "N",
    "ai_completion_tokens": "N", "ai_total_tokens": "N", "processing_time_ms": "N",
}  # fmt: skip
TYPES = {str: "S", int: "N", bool: "BOOL", dict: "M", list: "L", ChannelMethod: "S", Role: "S"}
ALWAYS = {"messages", "task_complete", "comms_consent", "function_call", "hand_off_to_human"}


def declared(item: type[Conversation | Entry]) -> dict[str, str]:
    """Attributes with their types; `!` marks required ones."""
    found = {}
    for name, field in item.model_fields.items():
        kinds = getattr(field.annotation, "__args__", None)
        kind: Any = field.annotation
        if kinds and getattr(field.annotation, "__origin__", None) is None:
            kind = next(k for k in kinds if k is not type(None))
        kind = getattr(kind, "__origin__", kind)
        is_always = field.is_required() or name in ALWAYS
        found[name] = TYPES[kind] + "!" * is_always
    return found


def printed(part: dict[str, Any]) -> dict[str, str]:
    return {name: fact["type"] + "!" * (fact["required"] is True) for name, fact in part.items()}


def test_the_item_has_only_the_contracts_and_declared_attributes() -> None:
    assert declared(Conversation) == ATTRIBUTES | OURS
    assert declared(Entry) == OF_A_MESSAGE


@pytest.mark.skipif(not CONTRACT.exists(), reason="the contract is not beside this checkout")
def test_the_contract_attributes_in_this_file_match_the_contract() -> None:
    contract = yaml.safe_load(CONTRACT.read_text())

    assert printed(contract["attributes"]) == ATTRIBUTES
    assert printed(contract["message"]) == OF_A_MESSAGE


def test_each_channel_has_an_index_of_its_address_pair() -> None:
    table = template.properties("ConversationsTable")
    keys = {
        index["IndexName"]: tuple(key["AttributeName"] for key in index["KeySchema"])
        for index in table["GlobalSecondaryIndexes"]
    }

    for index, business, recipient in Conversation.by_pair.values():
        assert keys[index] == (business, recipient)


# The window


def entry(number: int, content: str = "Hello", role: Role = Role.USER) -> Entry:
    at = f"2026-01-01T12:{number // 60:02}:{number % 60:02}.000Z"
    return Entry(entry_id=f"e{number:04}", message_timestamp=at, role=role, content=content)


def numbers(entries: list[Entry]) -> list[int]:
    return [int(each.entry_id[1:]) for each in entries]


ROOM = 2_048


def item(**facts: Any) -> Conversation:
    """An item with the attributes that every conversation has, and more."""
    required: dict[str, Any] = {
        "primary_channel": "+447700900123",
        "conversation_id": "acme#jobs#req-1#447700900123",
        "company_id": "acme",
        "project_id": "jobs",
        "channel_method": "sms",
        "conversation_status": "reply_sent",
        "request_id": "req-1",
        "created_at": "2026-01-01T12:00:00.000Z",
        "updated_at": "2026-01-01T12:00:00.000Z",
    }
    return Conversation(**required | facts)


@each("size", [0, 100, 200, 300, 500, 700, 1_000, 1_200, 2_000])
def test_the_window_costs_a_further_unit_only_if_the_last_one_has_no_room_for_two_entries(
    size: int,
) -> None:
    plain = item(project_data={"fact": "x" * size})
    long_entries = [entry(n, "x" * 150) for n in range(30)]

    entries = window(long_entries, [entry(30, "y" * 3_000)], room_for_window(plain))

    whole = plain.model_copy(update={"messages": entries})
    without = stored_bytes(plain.attributes()) + SPARE_BYTES
    units = -(-without // UNIT_BYTES)
    is_full = units * UNIT_BYTES - without < SMALLEST_WINDOW_BYTES
    assert -(-stored_bytes(whole.attributes()) // UNIT_BYTES) == units + is_full
    assert len(entries) >= 2
    assert len(entries[-1].content) >= 100


def test_the_size_estimate_is_never_smaller_than_the_size_that_dynamodb_counts() -> None:
    stored = {
        "text": "é😀",
        "number": 1_050,
        "long": 123_456_789,
        "flag": True,
        "list": [{"a": "b"}],
    }
    names = sum(map(len, stored))
    # A number has a byte for two digits and one more, a map or list three bytes and one for each member.
    counted = 6 + (2 + 1) + (5 + 1) + 1 + (3 + 1 + 3 + 1 + 1 + 1)

    assert counted + names <= stored_bytes(stored) <= counted + names + 16


def test_the_window_holds_the_newest_ten_in_order() -> None:
    assert numbers(
        window([entry(n) for n in range(8)], [entry(n) for n in (8, 9, 10, 11)], ROOM)
    ) == list(range(2, 12))


def test_the_window_fills_its_room_with_the_newest_entries() -> None:
    entries = window([entry(n, "x" * 300) for n in range(10)], [], ROOM)

    assert sum(map(bytes_of, entries)) <= ROOM
    assert numbers(entries) == [5, 6, 7, 8, 9]


def test_the_window_is_as_small_after_300_turns_as_after_ten() -> None:
    entries: list[Entry] = []
    for turn in range(300):
        question, answered = 2 * turn, 2 * turn + 1
        added = [entry(question), entry(answered, "x" * 200, Role.ASSISTANT)]
        entries = window(entries, added, ROOM)
        assert len(entries) <= 10
        assert sum(map(bytes_of, entries)) <= ROOM

    assert numbers(entries)[-2:] == [598, 599]


def test_the_newest_two_are_always_kept_and_marked_if_truncated() -> None:
    entries = window([entry(0, "x" * 100)], [entry(1, "é" * 5_000), entry(2, "x" * 5_000)], ROOM)

    assert numbers(entries) == [1, 2]
    assert ROOM - 2 <= sum(map(bytes_of, entries)) <= ROOM
    assert all(each.content.endswith("…") for each in entries)


def test_a_long_entry_gets_the_room_that_a_short_one_leaves() -> None:
    short, long_entry = window([], [entry(1), entry(2, "x" * 5_000)], ROOM)

    assert short.content == "Hello"
    assert bytes_of(short) + bytes_of(long_entry) == ROOM


def test_a_multi_byte_character_is_never_split() -> None:
    (cut_entry,) = window([], [entry(1, "😀" * 400)], 1_000)

    assert set(cut_entry.content) == {"😀", "…"}
    assert 1_000 - 4 < bytes_of(cut_entry) <= 1_000


def test_a_gap_in_the_window_is_not_filled_by_an_older_entry() -> None:
    """The first entry that does not fit ends the window: a conversation with a gap would be misread."""
    entries = window([], [entry(0), entry(1, "x" * 2_000), entry(2), entry(3)], ROOM)

    assert numbers(entries) == [2, 3]


def test_a_repeated_turn_adds_nothing_and_arrival_order_is_irrelevant() -> None:
    once = window([entry(1)], [entry(2), entry(3)], ROOM)

    assert window(once, [entry(2), entry(3)], ROOM) == once
    assert window([entry(3), entry(1)], [entry(2)], ROOM) == once
