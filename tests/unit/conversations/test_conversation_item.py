"""The conversation's item against the data contract, and its window of messages."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from conversations.store.items.conversation import (
    ChannelMethod,
    Conversation,
    Entry,
    Role,
    bytes_of,
    window,
)
from tests import template

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
OURS = {"ref_key": "S"} | dict.fromkeys(
    ["project_data_object", "recorded_answers", "recorded_answers_object"], "M"
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


def test_the_window_holds_the_newest_ten_in_order() -> None:
    assert numbers(
        window([entry(n) for n in range(8)], [entry(n) for n in (8, 9, 10, 11)])
    ) == list(range(2, 12))


def test_the_window_holds_at_most_two_kilobytes() -> None:
    entries = window([entry(n, "x" * 300) for n in range(10)], [])

    assert sum(map(bytes_of, entries)) <= 2_048
    assert numbers(entries) == [5, 6, 7, 8, 9]


def test_the_window_is_as_small_after_300_turns_as_after_ten() -> None:
    entries: list[Entry] = []
    for turn in range(300):
        question, answered = 2 * turn, 2 * turn + 1
        entries = window(entries, [entry(question), entry(answered, "x" * 200, Role.ASSISTANT)])
        assert len(entries) <= 10
        assert sum(map(bytes_of, entries)) <= 2_048

    assert numbers(entries)[-2:] == [598, 599]


def test_the_newest_two_are_always_kept_and_marked_if_truncated() -> None:
    entries = window([entry(0, "x" * 100)], [entry(1, "é" * 5_000), entry(2, "x" * 5_000)])

    assert numbers(entries) == [1, 2]
    assert [len(each.content.encode()) for each in entries] == [899, 900]
    assert all(each.content.endswith("…") for each in entries)


def test_a_multi_byte_character_is_never_split() -> None:
    (cut_entry,) = window([], [entry(1, "😀" * 400)])

    assert cut_entry.content == "😀" * 224 + "…"


def test_a_gap_in_the_window_is_not_filled_by_an_older_entry() -> None:
    """The first entry that does not fit ends the window: a conversation with a gap would be misread."""
    entries = window([], [entry(0), entry(1, "x" * 2_000), entry(2), entry(3)])

    assert numbers(entries) == [2, 3]


def test_a_repeated_turn_adds_nothing_and_arrival_order_is_irrelevant() -> None:
    once = window([entry(1)], [entry(2), entry(3)])

    assert window(once, [entry(2), entry(3)]) == once
    assert window([entry(3), entry(1)], [entry(2)]) == once


def test_the_windows_size_estimate_is_close_to_the_stored_size() -> None:
    long_entry = entry(1).model_copy(update={"ai_prompt_tokens": 150, "ai_completion_tokens": 50})

    assert bytes_of(long_entry) >= sum(
        len(name) + len(str(value)) for name, value in long_entry.stored().items()
    )
