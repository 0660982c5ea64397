"""Failures of a model's provider: lasting ones hand off at once with an alarm, and a second model takes over."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.accounts.bedrock import BedrockAnswer
from local.sandbox.accounts.openai import OpenAiAnswer
from tests.integration.conversations.booking import start_booking
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    function_call,
    model_answer,
    model_says,
    queue_name,
    status_of,
    texts_by,
    with_model,
    write,
)
from tests.integration.logs import conditions

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
SECOND = "anthropic.claude-sonnet-4-5-v1:0"
FALLBACK = {"provider": "bedrock", "model": SECOND}
LASTING = [
    (429, "insufficient_quota"),
    (429, "billing_hard_limit_reached"),
    (401, "invalid_api_key"),
    (403, "account_deactivated"),
    (404, "model_not_found"),
]
PASSING = [(429, "rate_limit_exceeded"), (500, "server_error"), (503, "overloaded")]


def refused(status: int, code: str) -> OpenAiAnswer:
    return OpenAiAnswer(refused=(status, code))


def requests_to(system: System, operation: str) -> list[Any]:
    return [entry.body for entry in system.sandbox.sent if entry.operation == operation]


def with_fallback(
    system: System, monkeypatch: pytest.MonkeyPatch, *says: str, **settings: Any
) -> None:
    """Set the second model of all channels, and its next answers."""
    deps = system.workers[queue_name(system, "replies")].deps.writer.model_deps
    monkeypatch.setattr(deps, "make_bedrock", partial(_client, system))
    row = system.row("company", "ci-aaa-001", "pi-aaa-001")
    assert row is not None
    ai = row["ai_config"]
    models = {
        channel: {**own, "fallback": FALLBACK, **settings}
        for channel, own in ai["openai_config"].items()
    }
    system.change(ai_config={**ai, "openai_config": models})
    system.sandbox.bedrock.answers.extend(BedrockAnswer(text=text) for text in says)


def _client(system: System, config: Any) -> Any:
    return boto3.client("bedrock-runtime", endpoint_url=system.sandbox.url, config=config)


@pytest.mark.parametrize(("status", "code"), LASTING)
def test_a_lasting_failure_hands_off_at_once_with_an_alarm(
    system: System, capsys: pytest.CaptureFixture[str], status: int, code: str
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    begun = system.clock.ms
    system.sandbox.openai.answers.extend([refused(status, code)] * 20)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_failed")
    assert conditions(capsys)["ConfigurationInvalid"] > 0
    assert system.clock.ms - begun <= 15_000  # the wait for a burst, and pauses
    left = len(system.sandbox.openai.answers)
    assert left >= 18  # a revoked key is read again once


@pytest.mark.parametrize(("status", "code"), PASSING)
def test_a_passing_failure_is_tried_again(system: System, status: int, code: str) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    system.sandbox.openai.answers.extend([refused(status, code)] * 3)
    model_says(system, model_answer("It is the night shift."))

    write(system)

    assert texts_by(system, ref)[-1] == "It is the night shift."


@pytest.mark.parametrize(("status", "code"), [*LASTING, *PASSING])
def test_the_second_model_takes_over_and_is_recorded(
    system: System,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: int,
    code: str,
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    with_fallback(system, monkeypatch, model_answer("It is the night shift."))
    system.sandbox.openai.answers.append(refused(status, code))

    write(system)

    assert texts_by(system, ref)[-1] == "It is the night shift."
    assert system.log(ref)[-1]["model"] == f"bedrock:{SECOND}"
    assert conditions(capsys)["ModelFailed"] > 0
    assert system.log(ref)[0]["model"] == "openai:gpt-made-up"


def test_the_second_model_is_asked_what_the_first_one_refuses(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    with_fallback(system, monkeypatch, model_answer("It is the night shift."))
    system.sandbox.openai.answers.append(OpenAiAnswer(refusal="I cannot help with that."))

    write(system)

    assert texts_by(system, ref)[-1] == "It is the night shift."
    message = system.log(ref)[-1]
    (asked,) = requests_to(system, "Converse")
    assert message["ai_prompt_tokens"] > len(json.dumps(asked["messages"])) // 4


def test_the_second_model_continues_a_turn_with_the_results_of_the_first_one(
    system: System, booking_service: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = start_booking(system, booking_service, function_call("book_slot", day="Monday"))
    with_fallback(system, monkeypatch, model_answer("It is booked, thank you."))
    system.sandbox.openai.answers.append(refused(503, "overloaded"))

    write(system, "Monday is fine")

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    (asked,) = requests_to(system, "Converse")
    assert '"slot' in json.dumps(asked["messages"]).replace("\\", "")


def test_a_failure_of_both_models_counts_as_one_of_the_first(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    with_fallback(system, monkeypatch)
    system.sandbox.faults.add(kind="status", provider="bedrock", status=503, times=100)
    system.sandbox.openai.answers.extend([refused(429, "insufficient_quota")] * 9)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_failed")


def test_without_enough_time_the_second_model_is_not_asked(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    with_fallback(system, monkeypatch, model_answer("Too late."))
    system.sandbox.openai.answers.append(refused(503, "overloaded"))
    model_says(system, model_answer("It is the night shift."))

    def is_slow(call: str) -> bool:
        if call == "HTTP.POST /v1/responses" and not requests_to(system, "Converse"):
            system.clock.ms += 85_000
            system.interceptor.fails_if = lambda _: False
        return False

    system.interceptor.fails_if = is_slow
    write(system)

    assert texts_by(system, ref)[-1] == "It is the night shift."
    assert requests_to(system, "Converse") == []


def test_a_message_names_the_version_of_the_settings_that_wrote_it(system: System) -> None:
    with_model(system, FIRST, model_answer("It is the night shift."))
    system.change(ai_version=7)
    ref = system.begin("sms")

    write(system)

    shown = system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)["messages"]
    assert {m["ai_version"] for m in shown if m["author"] == "ai"} == {7}
    assert "ai_version" not in next(m for m in shown if m["author"] == "customer")


def test_cached_tokens_are_counted(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    system.sandbox.openai.answers.append(
        OpenAiAnswer(text=model_answer("It is the night shift."), cached_tokens=40)
    )

    write(system)

    shown = system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)["messages"]
    newest = next(m for m in shown if m["content"] == "It is the night shift.")
    assert newest["ai_cached_tokens"] == 40
    assert newest["ai_prompt_tokens"] >= 40


def test_the_prompt_of_a_bedrock_model_is_cached_by_setting(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    settings = {"fallback": FALLBACK | {"cache_prompt": True}}
    with_fallback(system, monkeypatch, **settings)
    text = model_answer("It is the night shift.")
    system.sandbox.bedrock.answers.append(BedrockAnswer(text=text, cached_tokens=300))
    system.sandbox.openai.answers.append(refused(503, "overloaded"))

    write(system)

    (asked,) = requests_to(system, "Converse")
    assert asked["system"][1:] == [{"cachePoint": {"type": "default"}}]
    message = system.log(ref)[-1]
    assert message["ai_cached_tokens"] == 300
    assert message["ai_prompt_tokens"] > 300


def test_a_second_model_with_a_key_of_its_own_uses_it(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    other = "parley/local/companies/ci-aaa-001/second"
    system.put_secret(other, {"ai_api_key": "sk-second"})
    second = {"provider": "openai", "model": "gpt-second", "api_key_reference": other}
    own = {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID, "fallback": second}
    row = system.row("company", "ci-aaa-001", "pi-aaa-001")
    assert row is not None
    system.change(ai_config={**row["ai_config"], "openai_config": {"sms": own}})
    system.sandbox.openai.answers.append(refused(429, "insufficient_quota"))
    model_says(system, model_answer("It is the night shift."))

    write(system)

    assert system.log(ref)[-1]["model"] == "openai:gpt-second"
