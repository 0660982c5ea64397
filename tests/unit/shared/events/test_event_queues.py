"""Message groups and deduplication ids on the queues of conversations."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from shared.events.exchange import (
    DeliveryStatus,
    File,
    FileStored,
    InboundMessage,
    file_entry,
    inbound_entry,
    status_entry,
)
from tests.cases import each

MESSAGE = InboundMessage(
    provider="twilio",
    provider_message_id="SM1",
    account="AC1",
    channel_method="sms",
    business_address="+12025550142",
    customer_address="+447700900123",
    received_at="2026-01-01T12:00:00.000Z",
    kind="text",
    text="Hi",
)
STATUS = DeliveryStatus(
    provider="twilio",
    provider_message_id="SM1",
    account="AC1",
    channel_method="sms",
    status="failed",
    error_code="30003",
    occurred_at="2026-01-01T12:00:00.000Z",
)


def test_group_and_deduplication_ids_contain_no_address() -> None:
    entries = [inbound_entry(MESSAGE), status_entry(STATUS)]

    for entry in entries:
        assert re.fullmatch("[0-9a-f]{64}", entry.group)
        assert re.fullmatch("[0-9a-f]{64}", entry.deduplication)


def test_a_file_has_its_own_group_and_counts_once_per_storage_location() -> None:
    file = FileStored(
        provider="meta",
        provider_message_id="wamid.1",
        account="1022",
        channel_method="whatsapp",
        business_address="+12025550142",
        file=File(url="s3://bucket/one", provider_id="77"),
    )
    elsewhere = file_entry(replace(file, file=File(url="s3://bucket/two", provider_id="77")))

    assert file_entry(file).group != inbound_entry(MESSAGE).group
    assert elsewhere.group == file_entry(file).group
    assert elsewhere.deduplication != file_entry(file).deduplication


def test_the_body_is_the_event() -> None:
    assert json.loads(inbound_entry(MESSAGE).body)["text"] == "Hi"
    assert json.loads(status_entry(STATUS).body)["error_code"] == "30003"


@each(
    ("change", "same_group"),
    [
        ({"provider_message_id": "SM2"}, True),
        ({"text": "Hello"}, True),
        ({"account": "AC2"}, True),
        ({"provider": "aws_sms"}, True),
        ({"profile_name": "Ann"}, True),
        ({"channel_method": "whatsapp"}, False),
        ({"business_address": "+12025550199"}, False),
        ({"customer_address": "+447700900199"}, False),
    ],
)
def test_messages_of_one_customer_number_and_channel_share_a_group(
    change: dict[str, Any], *, same_group: bool
) -> None:
    changed = inbound_entry(replace(MESSAGE, **change))

    assert (changed.group == inbound_entry(MESSAGE).group) is same_group


def test_a_customer_without_a_number_is_grouped_by_the_user_id() -> None:
    hidden = replace(MESSAGE, customer_address=None, customer_user_id="GB.1")

    assert (
        inbound_entry(hidden).group != inbound_entry(replace(hidden, customer_user_id="GB.2")).group
    )
    assert inbound_entry(hidden).group == inbound_entry(replace(hidden, text="other")).group


@pytest.mark.parametrize(
    "change", [{"received_at": "2026-01-01T12:00:09.000Z"}, {"extra": {"x": 1}}, {"kind": "button"}]
)
def test_a_repeated_message_is_dropped_even_if_volatile_fields_differ(
    change: dict[str, Any],
) -> None:
    again = replace(MESSAGE, **change)

    assert inbound_entry(again).deduplication == inbound_entry(MESSAGE).deduplication


@pytest.mark.parametrize(
    "change",
    [
        {"provider_message_id": "SM2"},
        {"text": "Hello"},
        {"media": [File(url="https://api.twilio.com/1")]},
        {"customer_address": "+447700900199"},
        {"account": "AC2"},
        {"provider": "aws_sms"},
        {"type": "human_reply"},
    ],
)
def test_a_message_with_other_content_or_account_is_no_duplicate(
    change: dict[str, Any],
) -> None:
    other = replace(MESSAGE, **change)

    assert inbound_entry(other).deduplication != inbound_entry(MESSAGE).deduplication


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"occurred_at": "2026-01-01T12:00:09.000Z"}, True),
        ({"action_id": "a"}, True),
        ({"status": "delivered"}, False),
        ({"error_code": None}, False),
        ({"error_code": "30005"}, False),
        ({"account": "AC2"}, False),
    ],
)
def test_statuses_of_one_message_differ_by_word_and_error(
    change: dict[str, Any], *, same: bool
) -> None:
    changed = status_entry(replace(STATUS, **change))

    assert (changed.deduplication == status_entry(STATUS).deduplication) is same
    assert changed.group == status_entry(STATUS).group


def test_statuses_of_different_messages_have_different_groups() -> None:
    assert (
        status_entry(replace(STATUS, provider_message_id="SM2")).group != status_entry(STATUS).group
    )
