"""The first message of a conversation: the records stored for it, and that it is sent once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items import identifiers
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from tests.unit.conversations.test_conversation_item import ATTRIBUTES, OURS

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

DAY_MS = 86_400_000
LARGE = {f"fact {n}": "x" * 100 for n in range(20)}


def begin(system: System, payload: dict[str, Any]) -> str:
    status, answer = system.ask(payload)
    assert status == 200, answer
    system.drain()
    return str(answer["conversation_ref"])


def configured(channel: str, **changes: Any) -> dict[str, Any]:
    """The `channel_config` of the project with other attributes of one channel."""
    config: dict[str, Any] = sample_data.project()["channel_config"]
    return config | {channel: config[channel] | changes}


def stored_item(system: System, key: tuple[str, ...]) -> dict[str, Any]:
    return system.stored()[key]


# The item


@pytest.mark.parametrize("channel", ["whatsapp", "sms", "email"])
def test_the_item_has_attributes_of_the_contract_and_its_ref_and_each_of_its_type(
    system: System, channel: str
) -> None:
    ref = system.begin(channel)

    item = system.conversation(ref)
    item_json = stored_item(
        system, ("conversations", item["primary_channel"], item["conversation_id"])
    )
    types = {name: next(iter(value)) for name, value in item_json.items()}
    known = {name: kind.strip("!") for name, kind in (ATTRIBUTES | OURS).items()}
    assert types.items() <= known.items()
    assert types.keys() >= {name for name, kind in ATTRIBUTES.items() if kind.endswith("!")}
    assert not [name for name, value in item.items() if value in (None, "", {}, [])]


def test_attributes_of_the_item_after_its_first_sms(system: System) -> None:
    ref = system.begin("sms")

    item = system.conversation(ref)
    assert {name: item[name] for name in ("primary_channel", "channel_method", "request_id")} == {
        "primary_channel": sample_data.CANDIDATE,
        "channel_method": "sms",
        "request_id": "req-1",
    }
    assert (item["conversation_status"], item["task_complete"]) == ("initial_message_sent", 1)
    assert item["initial_request_timestamp"] == "2026-01-01T09:30:00.000Z"
    assert (item["function_call"], item["hand_off_to_human"]) == (False, False)
    assert item["comms_consent"] is True
    assert item["created_at"] < item["updated_at"]
    assert item["ttl"] == system.clock.ms // 1_000 + 365 * 86_400
    assert "thread_id" not in item  # of OpenAI only
    assert "email_id" not in item


def test_the_first_message_is_in_the_window_as_it_was_sent(system: System) -> None:
    ref = system.begin("sms")

    (entry,) = system.conversation(ref)["messages"]
    (message,) = system.log(ref)
    (sent,) = system.sent()
    assert entry["role"] == "assistant"
    assert entry["content"] == message["content"] == sent["Body"]
    assert entry["entry_id"] == message["entry_id"]
    assert entry["message_timestamp"] == message["message_timestamp"]
    assert entry["ai_total_tokens"] == entry["ai_prompt_tokens"] + entry["ai_completion_tokens"] > 0


@pytest.mark.parametrize(
    ("channel", "business", "address"),
    [
        ("whatsapp", "gsi_company_whatsapp_number", sample_data.WHATSAPP_SENDER),
        ("sms", "gsi_company_sms_number", SMS_NUMBER),
        ("email", "gsi_company_email", sample_data.EMAIL_SENDER),
    ],
)
def test_indexes_hold_each_contact_and_the_address_of_this_channel_only(
    system: System, channel: str, business: str, address: str
) -> None:
    item = system.conversation(system.begin(channel))

    found = {name: value for name, value in item.items() if name.startswith("gsi_")}
    assert found == {
        "gsi_recipient_tel": sample_data.CANDIDATE,
        "gsi_recipient_email": sample_data.CANDIDATE_EMAIL,
        business: address,
    }


def test_a_missing_contact_is_in_no_index(system: System) -> None:
    recipient = {"recipient_tel": sample_data.CANDIDATE, "comms_consent": True}

    item = system.conversation(system.begin("sms", recipient_data=recipient))

    assert "recipient_email" not in item
    assert "gsi_recipient_email" not in item


def test_a_person_without_a_number_is_found_by_the_business_scoped_id(system: System) -> None:
    recipient = {"recipient_user_id": "US.13491208655302741918", "comms_consent": True}

    ref = system.begin("whatsapp", recipient_data=recipient)

    item = system.conversation(ref)
    assert item["primary_channel"] == "bsuid:US.13491208655302741918"
    assert item["conversation_id"].endswith("#US.13491208655302741918")
    assert "recipient_tel" not in item
    assert "gsi_recipient_tel" not in item


def test_configurations_are_flattened_to_the_channel_and_hold_no_long_texts(system: System) -> None:
    ai = {
        "provider": "scripted",
        "scripted_config": {"whatsapp": {"model": "m", "temperature": Decimal("0.5")}},
        "bedrock_config": {"whatsapp": {"model": "other"}},
        "prompts": {"initial": "Be brief."},
        "keep_thread": True,
    }
    system.set_up(sample_data.project(ai_config=ai))

    item = system.conversation(system.begin("whatsapp"))

    assert item["ai_config"].keys() == {
        "provider", "model", "temperature", "keep_thread", "prompts_sha256",
    }  # fmt: skip
    assert item["ai_config"]["temperature"] == Decimal("0.5")
    assert item["channel_config"].keys() == {
        "provider", "account", "company_whatsapp_number", "whatsapp_credentials_id", "default_template",
        "reengagement_template", "templates_sha256", "typing_indicator",
    }  # fmt: skip


def test_small_project_data_are_stored_in_the_item_with_every_kind_of_number(
    system: System,
) -> None:
    data = {
        "rate": 12.5,
        "count": 7,
        "tiny": 1e-7,
        "open": True,
        "list": [1.25, "a", None],
        "e": "",
    }

    item = system.conversation(system.begin("sms", project_data=data))

    assert item["project_data"] == {
        "rate": Decimal("12.5"),
        "count": 7,
        "tiny": Decimal("1E-7"),
        "open": True,
        "list": [Decimal("1.25"), "a", None],
        "e": "",
    }


def test_numbers_that_dynamodb_cannot_store_are_kept_as_text(system: System) -> None:
    data = {"large": 10**60, "small": 1e-300, "odd": "a\u0000b"}

    item = system.conversation(system.begin("sms", project_data=data))

    assert item["project_data"] == {"large": "1" + "0" * 60, "small": "1e-300", "odd": "a\ufffdb"}


def test_large_project_data_are_stored_in_the_bucket_with_a_pointer_in_the_item(
    system: System,
) -> None:
    ref = system.begin("sms", project_data=LARGE)

    item = system.conversation(ref)
    pointer = item["project_data_object"]
    assert "project_data" not in item
    assert pointer.keys() == {"key", "sha256", "bytes"}
    assert pointer["bytes"] == 2_251
    assert pointer["key"].startswith(f"conversations/{ref}/project-data-")
    assert json.loads(system.objects()[pointer["key"]]) == LARGE


def test_the_model_receives_large_project_data_as_well(system: System) -> None:
    ref = system.begin("sms", project_data={**LARGE, "shift": "nights"})

    system.text("q", "Which shift is it?")
    system.drain()

    assert "nights" in system.log(ref)[-1]["content"]


# Records for matching


def test_all_data_that_an_answer_needs_is_stored_before_the_message_is_sent(
    system: System,
) -> None:
    seen: list[set[str]] = []

    def look(call: str) -> bool:
        if call.startswith("HTTP.POST"):
            seen.append({key[1].partition("#")[0] for key in system.rows() if key[0] == "log"})
        return False

    system.interceptor.fails_if = look
    ref = system.begin("sms")

    asked, sent = seen  # the model, then the provider
    assert asked >= {"ROUTE", "OPEN", "ADDR", "CONV"}
    assert sent >= asked
    assert system.state(ref)["mode"] == "ai"
    assert "turn" not in system.state(ref)


def test_no_key_of_the_log_table_shows_an_address(system: System) -> None:
    system.begin("sms")
    system.text("t", "Yes")
    system.drain()

    keys = [" ".join(key) for key in system.rows() if key[0] == "log"]
    own = SMS_NUMBER.strip("+")
    assert not [key for key in keys if sample_data.CANDIDATE.strip("+") in key]
    assert [key for key in keys if own in key] == [
        f"log ADDR#sms#{SMS_NUMBER} #",
        f"log ADDR#sms#{SMS_NUMBER} {sample_data.COMPANY}#{sample_data.PROJECT}",
        f"log ADDR#whatsapp#{SMS_NUMBER} #",
    ]


def test_an_open_conversation_is_on_the_list_of_its_project(system: System) -> None:
    ref = system.begin("sms")

    opening = system.row("log", f"OPEN#{sample_data.COMPANY}#{sample_data.PROJECT}", ref)
    assert opening is not None
    assert opening["conversation_status"] == "initial_message_sent"
    assert opening["last_activity_at"] == "2026-01-01T12:00:00.000Z"


# Idempotency


def test_the_same_context_object_twice_is_one_message(system: System) -> None:
    system.ask(sample_data.request("sms"))
    queue_name = next(name for name in system.workers if name.endswith("sms.fifo"))
    (message,) = system.fifo_queues.queues[queue_name].messages
    ref = begin(system, sample_data.request("sms"))
    before = system.rows()

    system.clock.ms += DAY_MS
    system.fifo_queues.queues[queue_name]._append(
        message.body, message.group, message.deduplication
    )
    system.drain()

    assert len(system.sent()) == 1
    assert system.changes(ref) == ["initial_message_sent"]
    assert _without_activity(system.rows()) == _without_activity(before)


def _without_activity(rows: dict[tuple[str, ...], dict[str, Any]]) -> dict[tuple[str, ...], Any]:
    return {
        key: {n: v for n, v in row.items() if n != "last_activity_at"} for key, row in rows.items()
    }


def test_another_request_under_the_same_id_is_parked(system: System) -> None:
    ref = system.begin("sms")
    queue_name = next(name for name in system.workers if name.endswith("sms.fifo"))
    other = _context(sample_data.request("sms", project_data={"jobRole": "Nurse"}))

    system.fifo_queues.queues[queue_name]._append(json.dumps(other), "g", "d")
    system.drain()

    assert system.parked() == ["conflict"]
    assert system.conversation(ref)["project_data"]["jobRole"] == "Healthcare Assistant"
    assert len(system.sent()) == 1


def _context(payload: dict[str, Any]) -> dict[str, Any]:
    identifier = identifiers.conversation_id(
        sample_data.COMPANY, sample_data.PROJECT, "req-1", "447700900123"
    )
    return {
        "type": "context",
        "frontend_payload": payload,
        "company_data_payload": sample_data.project(),
        "conversation_data": {"conversation_id": identifier, "conversation_status": "initiated"},
        "metadata": {
            "router_version": "1",
            "queued_at": "2026-01-01T12:00:00.000Z",
            "correlation_id": "c",
        },
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("{", "malformed_event"),
        ('{"type":"dance","ref":"r"}', "malformed_event"),
        (json.dumps(_context(sample_data.request("email"))), "wrong_queue"),
        (json.dumps(_context(sample_data.request("fax"))), "UNSUPPORTED_CHANNEL"),
        (
            json.dumps(_context(sample_data.request("sms")) | {"company_data_payload": {}}),
            "configuration_invalid",
        ),
        (json.dumps(_context(sample_data.request("sms", "req-2"))), "conflict"),
        ('{"type":"resume","ref":"nobody"}', "conversation_gone"),
    ],
    ids=[
        "no json",
        "unknown",
        "of another queue",
        "no channel",
        "no company",
        "other id",
        "erased",
    ],
)
def test_a_request_that_can_never_succeed_is_parked_and_blocks_no_other(
    system: System, body: str, reason: str
) -> None:
    queue_name = next(name for name in system.workers if name.endswith("sms.fifo"))
    system.fifo_queues.queues[queue_name]._append(body, "g", "d")

    system.drain()

    assert system.parked() == [reason]
    assert system.fifo_queues.dead_letters == []
    (parked_text,) = system.objects().values()
    assert parked_text.decode() == body
