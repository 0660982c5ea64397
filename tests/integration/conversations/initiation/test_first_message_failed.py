"""First messages that cannot be sent: each ends with a status and a reason, and none is sent twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.records.commands import FetchFiles, Notice
from conversations.recovery import exhausted_retries
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    HOUR_MS,
    OPENAI_SECRET_ID,
    at,
    direct_resources,
    model_answer,
    release,
    start_conversation,
    status_of,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


@pytest.fixture(autouse=True)
def _no_quiet_hours(system: System) -> None:
    """Twilio's magic numbers are in all zones of America."""
    system.set_up(sample_data.project(policy={"quiet_hours": None}))


def templates(**changes: Any) -> dict[str, Any]:
    config: dict[str, Any] = sample_data.project()["channel_config"]
    return config | {"whatsapp": config["whatsapp"] | changes}


# Secrets


def test_without_its_secret_a_conversation_fails_before_any_text_is_composed(
    system: System,
) -> None:
    system.put_secret(sample_data.TWILIO_SECRET_ID, None)

    ref = start_conversation(system)

    assert status_of(system, ref) == ("failed", "secrets_missing")
    assert (system.log(ref), system.sent()) == ([], [])


def test_a_release_sends_once_the_secret_exists(system: System) -> None:
    system.put_secret(sample_data.TWILIO_SECRET_ID, None)
    ref = start_conversation(system)
    system.put_secret(sample_data.TWILIO_SECRET_ID, sample_data.TWILIO_SECRET)

    release(system, ref)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.changes(ref) == ["failed", "processing", "initial_message_sent"]


@pytest.mark.parametrize("value", [{}, {"twilio_account_sid": "AC1"}, {"twilio_auth_token": "t"}])
def test_an_incomplete_secret_is_treated_as_a_missing_one(
    system: System, value: dict[str, str]
) -> None:
    system.put_secret(sample_data.TWILIO_SECRET_ID, value)

    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "failed"
    assert system.log(ref) == []


def test_a_temporary_error_of_the_secrets_store_defers_the_first_message(system: System) -> None:
    system.read_identifier_keys()  # the company's secrets are meant
    system.interceptor.fails_if = FirstFew("secrets-manager.", 2)

    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.sent()) == 1


class FirstFew:
    """Lets the first few calls of a name fail."""

    def __init__(self, name: str, count: int) -> None:
        self.name, self.left = name, count

    def __call__(self, call: str) -> bool:
        fails = self.left > 0 and call.startswith(self.name)
        self.left -= fails
        return fails


def test_without_the_models_key_a_first_message_fails_too(system: System) -> None:
    with_model(system)
    system.put_secret(OPENAI_SECRET_ID, None)

    assert status_of(system, start_conversation(system)) == ("failed", "secrets_missing")


# Templates


def test_a_template_is_filled_from_known_values_and_by_the_model(system: System) -> None:
    ref = start_conversation(system, "whatsapp")

    (sent,) = system.sent()
    assert sent["ContentSid"] == sample_data.INVITATION["content_sid"]
    assert json.loads(sent["ContentVariables"]) == {
        "name": "Ann",
        "rep": "Carol",
        "job": "Healthcare Assistant",
        "question": "Do you have a driving licence?",
    }
    (message,) = system.log(ref)
    assert message["content"] == (
        "Hello Ann, this is Carol of Cucumber Recruitment about the job as Healthcare Assistant. "
        "Do you have a driving licence?"
    )
    assert message["template"] == "invitation"


def test_a_template_with_all_values_known_needs_no_model(system: System) -> None:
    request = sample_data.request("whatsapp")
    request["request_data"]["template"] = "still_there"

    _, answer = system.ask(request)
    system.drain()

    (message,) = system.log(answer["conversation_ref"])
    assert message["template"] == "still_there"
    assert message["ai_total_tokens"] == 0


@pytest.mark.parametrize(
    "changes", [{"templates": {}}, {"default_template": None}, {"default_template": "x"}]
)
def test_without_a_template_whatsapp_cannot_begin(system: System, changes: dict[str, Any]) -> None:
    system.set_up(sample_data.project(channel_config=templates(**changes)))

    ref = start_conversation(system, "whatsapp")

    assert status_of(system, ref) == ("failed", "template_missing")
    assert system.sent() == []


def test_a_template_named_by_the_request_must_exist(system: System) -> None:
    request = sample_data.request("whatsapp")
    request["request_data"]["template"] = "unheard_of"

    _, answer = system.ask(request)
    system.drain()

    assert status_of(system, answer["conversation_ref"]) == ("failed", "template_missing")


def test_an_invalid_template_is_an_error_of_the_set_up(system: System) -> None:
    broken = sample_data.INVITATION | {"body": "Hello {{nobody}}"}
    system.set_up(sample_data.project(channel_config=templates(templates={"invitation": broken})))

    assert status_of(system, start_conversation(system, "whatsapp")) == (
        "failed",
        "configuration_invalid",
    )


def test_the_secret_may_name_the_only_template(system: System) -> None:
    sid = "HX" + "0f0f" * 8
    only = {name: fact for name, fact in sample_data.STILL_THERE.items() if name != "content_sid"}
    system.put_secret(
        sample_data.TWILIO_SECRET_ID, sample_data.TWILIO_SECRET | {"twilio_template_sid": sid}
    )
    system.set_up(
        sample_data.project(
            channel_config=templates(templates={"only": only}, default_template="only")
        )
    )

    ref = start_conversation(system, "whatsapp")

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.sent()[0]["ContentSid"] == sid


# The model


def test_a_temporary_error_of_the_model_defers_the_first_message(system: System) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    system.sandbox.faults.add(
        kind="status", provider="openai", operation="create_response", status=503, times=3
    )

    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert "May" in system.sent()[0]["Body"]


def test_a_model_that_stays_down_ends_in_a_visible_failure(system: System) -> None:
    with_model(system)
    system.sandbox.faults.add(kind="status", provider="openai", status=503, times=100)

    ref = start_conversation(system)

    assert status_of(system, ref) == ("failed", "ai_failed")
    assert (system.sent(), system.fifo_queues.dead_letters) == ([], [])


@pytest.mark.parametrize(
    "bad",
    [
        "Hello there",
        model_answer(""),
        model_answer("Look at https://evil.example/x"),
        model_answer("Hello [your name]"),
    ],
    ids=["prose", "empty", "foreign link", "placeholder"],
)
def test_an_answer_that_cannot_be_sent_is_repaired_once(system: System, bad: str) -> None:
    with_model(system, bad, model_answer("Hello Ann, can you start in May?"))

    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.log(ref)[0]["calls"] == 2


def test_a_second_answer_that_cannot_be_sent_fails(system: System) -> None:
    with_model(system, "Hello there", "Hello again")

    ref = start_conversation(system)

    assert status_of(system, ref) == ("failed", "ai_invalid_output")
    assert system.sent() == []


def test_the_first_sms_contains_the_opt_out_hint_within_its_length(system: System) -> None:
    ref = start_conversation(system)

    (sent,) = system.sent()
    assert sent["Body"].endswith("\nReply STOP to opt out.")
    (message,) = system.log(ref)
    assert (message["encoding"], message["segments"]) == ("GSM-7", 1)


def test_a_first_sms_that_is_too_long_after_its_repair_is_cut_after_a_sentence(
    system: System,
) -> None:
    long = "Can you start? " * 40
    with_model(system, model_answer(long), model_answer(long))
    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "initial_message_sent"
    (message,) = system.log(ref)
    assert str(message["content"]).endswith("Can you start?\nReply STOP to opt out.")
    assert message["segments"] == 3


def test_a_thread_is_stored_at_the_model_provider_if_the_project_enables_it(system: System) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"), keep_thread=True)

    item = system.conversation(start_conversation(system))

    assert item["thread_id"] in system.sandbox.openai.conversations


# Retries exhausted


def test_a_deferred_first_message_that_exhausts_its_retries_is_shown_to_agents(
    system: System,
) -> None:
    system.set_up(sample_data.project())
    system.clock.ms = at("22:30")
    ref = start_conversation(system)
    assert status_of(system, ref) == ("deferred", "quiet_hours")
    system.clock.ms += 10 * HOUR_MS
    system.interceptor.fails_if = lambda call: "RATE#cap#" in call

    system.sweep()
    system.drain()

    assert len(system.fifo_queues.dead_letters) == 1
    assert system.due_at() == []
    assert status_of(system, ref)[0] == "failed"


@pytest.mark.parametrize(
    "record",
    [
        FetchFiles(ref="-", message_sk="MSG#x"),
        Notice(ref="-", notice="help", cause="c"),
    ],
    ids=["files", "a notice"],
)
def test_exhausted_retries_of_another_record_do_not_fail_the_first_message(
    system: System, record: FetchFiles | Notice
) -> None:
    ref = system.begin("sms")
    system.write("conversations", system.conversation(ref) | {"conversation_status": "processing"})
    dead = record.model_copy(update={"ref": ref})

    exhausted_retries.of_record(direct_resources(system), dead.model_dump_json(), "throttled")

    assert status_of(system, ref)[0] == "processing"
