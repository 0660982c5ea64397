"""Several calls at once: the answers of a form in one turn, parallel calls of both providers, corrections."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.accounts.bedrock import BedrockAnswer, ToolUseSeed
from local.sandbox.accounts.openai import FunctionCallSeed, OpenAiAnswer
from tests.integration.conversations.booking import start_booking, write
from tests.integration.conversations.steps import (
    function_call,
    model_answer,
    model_says,
    queue_name,
    status_of,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

type Calls = list[tuple[str, dict[str, Any]]]

QUESTIONS = ["Name?", "Date of birth?", "Licence?", "Start?", "Hours?", "Nights?"]
FORM = {"clarificationPoints": [{"point": question} for question in QUESTIONS]}
VALUES = ["Ann Doe", "1990-03-01", "yes", "May", "30", "no"]
GIVEN = dict(zip(QUESTIONS, VALUES, strict=True))
THANKS = model_answer("Thank you, that is all.")
BEDROCK = {
    channel: {"model": "anthropic.claude-sonnet-4-5-v1:0"}
    for channel in ("whatsapp", "sms", "email")
}
OLDER = {channel: {"model": "an-older-model-v1:0"} for channel in ("whatsapp", "sms", "email")}


def recorded(answers: dict[str, str]) -> dict[str, Any]:
    return {"answers": [{"key": key, "value": value} for key, value in answers.items()]}


def records(answers: dict[str, str], content: str = "Noted.") -> str:
    return function_call("record_answer", content, **recorded(answers))


class Provider:
    """A model that makes several calls in one reply."""

    def __init__(
        self,
        system: System,
        name: str,
        booking_service: Receiver,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.system, self.name = system, name
        self.ref = start_booking(system, booking_service, data=FORM)
        if name == "openai":
            return
        deps = system.workers[queue_name(system, "replies")].deps.writer.model_deps
        monkeypatch.setattr(deps, "make_bedrock", partial(_client, system))
        config = system.row("company", "ci-aaa-001", "pi-aaa-001")["ai_config"]  # type: ignore[index] # it is set up
        models = OLDER if name == "bedrock, older" else BEDROCK
        system.change(ai_config={**config, "provider": "bedrock", "bedrock_config": models})

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> None:
        if self.name == "openai":
            seeds = [FunctionCallSeed(name=n, arguments=json.dumps(a)) for n, a in calls]
            self.system.sandbox.openai.answers.append(OpenAiAnswer(function_calls=seeds))
            return
        uses = [ToolUseSeed(tool=name, arguments=arguments) for name, arguments in calls]
        self.system.sandbox.bedrock.answers.append(BedrockAnswer(uses=uses))

    def says(self, text: str) -> None:
        if self.name == "openai":
            model_says(self.system, text)
        elif self.name == "bedrock":
            self.system.sandbox.bedrock.answers.append(BedrockAnswer(text=text))
        else:
            named = BedrockAnswer(tool="conversation_answer", arguments=json.loads(text))
            self.system.sandbox.bedrock.answers.append(named)

    @property
    def last_request(self) -> str:
        operation = "create_response" if self.name == "openai" else "Converse"
        bodies = [e.body for e in self.system.sandbox.sent if e.operation == operation]
        return json.dumps(bodies[-1])


def _client(system: System, config: Any) -> Any:
    return boto3.client("bedrock-runtime", endpoint_url=system.sandbox.url, config=config)


@pytest.fixture(params=["openai", "bedrock", "bedrock, older"])
def provider(
    request: pytest.FixtureRequest,
    system: System,
    booking_service: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> Provider:
    return Provider(system, request.param, booking_service, monkeypatch)


def answers_of(system: System, ref: str) -> dict[str, str]:
    found: dict[str, str] = system.call_admin_api("GET /conversations/{ref}", ref=ref)[
        "recorded_answers"
    ]
    return found


def test_six_answers_in_one_call_are_stored_in_one_turn(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, records(GIVEN), data=FORM)

    write(system, "I am Ann Doe, born on 1 March 1990 ...")

    assert answers_of(system, ref) == GIVEN
    assert system.log(ref)[-1]["calls"] == 1
    assert system.log(ref)[-1]["answers"] == GIVEN


def test_six_parallel_calls_are_carried_out_in_one_turn(system: System, provider: Provider) -> None:
    provider.calls(*[("record_answer", recorded({key: GIVEN[key]})) for key in QUESTIONS])
    provider.says(THANKS)

    write(system, "I am Ann Doe, born on 1 March 1990 ...")

    assert answers_of(system, provider.ref) == GIVEN
    assert texts_by(system, provider.ref)[-1] == "Thank you, that is all."
    assert system.log(provider.ref)[-1]["calls"] == 2


def test_parallel_calls_of_functions_are_each_executed_and_reported(
    system: System, provider: Provider, booking_service: Receiver
) -> None:
    provider.calls(
        ("book_slot", {"day": "Monday"}),
        ("record_answer", recorded({"Start?": "May"})),
        ("book_slot", {"day": "Friday"}),
    )
    provider.says(THANKS)

    write(system, "Monday and Friday, from May")

    days = [json.loads(booking_service.next().body)["arguments"]["day"] for _ in range(2)]
    assert days == ["Monday", "Friday"]
    assert answers_of(system, provider.ref) == {"Start?": "May"}
    assert provider.last_request.count("slot") >= 2
    assert texts_by(system, provider.ref)[-1] == "Thank you, that is all."


def test_calls_over_the_limit_are_refused_and_the_model_is_told(
    system: System, provider: Provider, booking_service: Receiver
) -> None:
    provider.calls(*[("book_slot", {"day": f"day {n}"}) for n in range(10)])
    provider.says(THANKS)

    write(system, "Every day")

    assert booking_service.requests.qsize() == 8
    assert provider.last_request.count("At most 8 calls at once") == 2
    assert texts_by(system, provider.ref)[-1] == "Thank you, that is all."


def test_slow_functions_are_continued_in_a_retry_and_executed_once(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, data=FORM)
    days = [f"day {n}" for n in range(8)]
    seeds = [FunctionCallSeed(name="book_slot", arguments=json.dumps({"day": d})) for d in days]
    for _ in range(2):
        system.sandbox.openai.answers.append(OpenAiAnswer(function_calls=seeds))
    model_says(system, THANKS)

    def takes_long(call: str) -> bool:
        if call.startswith("HTTP.POST /book"):
            system.clock.ms += 15_000
        return False

    system.interceptor.fails_if = takes_long
    write(system, "Every day")

    booked = [json.loads(booking_service.next().body)["arguments"]["day"] for _ in days]
    assert booked == days
    assert booking_service.requests.empty()
    assert texts_by(system, ref)[-1] == "Thank you, that is all."


def test_invalid_calls_of_one_reply_are_refused_once_and_valid_ones_are_carried_out(
    system: System, provider: Provider, booking_service: Receiver
) -> None:
    provider.calls(
        ("delete_everything", {}),
        ("book_slot", {"date": "Monday"}),
        ("book_slot", {"day": "Monday"}),
    )
    provider.says(THANKS)

    write(system)

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, provider.ref)[-1] == "Thank you, that is all."


@pytest.mark.parametrize(
    ("ending", "arguments", "status"),
    [
        ("hand_off_to_human", {"reason": "asks for a person"}, "handoff_pending"),
        ("opt_out", {}, "opted_out"),
    ],
)
def test_answers_beside_the_end_of_a_dialogue_are_stored(
    system: System, provider: Provider, ending: str, arguments: dict[str, Any], status: str
) -> None:
    provider.calls((ending, arguments), ("record_answer", recorded({"Start?": "May"})))

    write(system, "In May. And now leave me alone")

    assert status_of(system, provider.ref)[0] == status
    assert answers_of(system, provider.ref) == {"Start?": "May"}


def test_answers_beside_a_function_that_needs_approval_are_stored(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, data=FORM, approval=True)
    seeds = [
        FunctionCallSeed(name="book_slot", arguments='{"day": "Monday"}'),
        FunctionCallSeed(name="record_answer", arguments=json.dumps(recorded({"Start?": "May"}))),
    ]
    system.sandbox.openai.answers.append(OpenAiAnswer(function_calls=seeds))

    write(system, "Monday, from May")

    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    assert answers_of(system, ref) == {"Start?": "May"}


def test_parallel_calls_after_reasoning_repeat_it_once(
    system: System, booking_service: Receiver
) -> None:
    models = {
        channel: {
            "model": "gpt-made-up",
            "api_key_reference": "parley/local/companies/ci-aaa-001/openai",
            "reasoning": {"effort": "low"},
        }
        for channel in ("whatsapp", "sms", "email")
    }
    ref = start_booking(system, booking_service, data=FORM)
    config = system.row("company", "ci-aaa-001", "pi-aaa-001")["ai_config"]  # type: ignore[index] # it is set up
    system.change(ai_config={**config, "openai_config": models})
    seeds = [
        FunctionCallSeed(name="record_answer", arguments=json.dumps(recorded({key: value})))
        for key, value in GIVEN.items()
    ]
    system.sandbox.openai.answers.append(OpenAiAnswer(function_calls=seeds, reasoning_tokens=40))
    model_says(system, THANKS)

    write(system, "I am Ann Doe ...")

    assert answers_of(system, ref) == GIVEN
    (sent,) = [e.body for e in system.sandbox.sent if e.operation == "create_response"][-1:]
    kinds = [item.get("type") for item in sent["input"]]  # type: ignore[index] # a request
    assert kinds.count("reasoning") == 1
    assert kinds.count("function_call") == kinds.count("function_call_output") == 6


# Corrections


@pytest.mark.parametrize("correction", ["June", "not sure", "may"])
def test_a_correction_replaces_an_answer_and_keeps_the_earlier_one(
    system: System, booking_service: Receiver, correction: str
) -> None:
    ref = start_booking(
        system, booking_service, records(GIVEN), records({"Start?": correction}), data=FORM
    )
    write(system, "I am Ann Doe ... from May", "m")
    write(system, "Sorry, I meant something else", "n")

    assert answers_of(system, ref) == GIVEN | {"Start?": correction}
    shown = system.call_admin_api("GET /conversations/{ref}", ref=ref)["replaced_answers"]
    assert [(one["question"], one["answer"]) for one in shown] == [("Start?", "May")]
    assert shown[0]["replaced_at"] > "2026-01-01"


def test_the_same_answer_again_replaces_nothing(system: System, booking_service: Receiver) -> None:
    ref = start_booking(system, booking_service, records(GIVEN), records(GIVEN), data=FORM)
    write(system, "I am Ann Doe ...", "m")
    write(system, "As I said", "n")

    shown = system.call_admin_api("GET /conversations/{ref}", ref=ref)
    assert (shown["recorded_answers"], shown["replaced_answers"]) == (GIVEN, [])


def test_the_newest_replaced_answers_are_kept(system: System, booking_service: Receiver) -> None:
    months = [f"month {n}" for n in range(12)]
    said = [records({"Start?": month}) for month in months]
    ref = start_booking(system, booking_service, *said, data=FORM)

    for number, month in enumerate(months):
        write(system, month, f"m{number}")

    shown = system.call_admin_api("GET /conversations/{ref}", ref=ref)
    assert shown["recorded_answers"] == {"Start?": months[-1]}
    assert [one["answer"] for one in shown["replaced_answers"]] == months[3:11]


def test_corrections_of_answers_in_an_object_are_stored(
    system: System, booking_service: Receiver
) -> None:
    long = dict.fromkeys(QUESTIONS, "x" * 400)
    ref = start_booking(
        system, booking_service, records(long), records({"Start?": "June"}), data=FORM
    )
    write(system, "Everything", "m")
    write(system, "I meant June", "n")

    assert answers_of(system, ref) == long | {"Start?": "June"}


def test_data_of_the_company_is_not_corrected(system: System, booking_service: Receiver) -> None:
    data = FORM | {"Start?": "May"}
    ref = start_booking(
        system,
        booking_service,
        records({"Start?": "June"}),
        model_answer("A colleague can change it."),
        data=data,
    )

    write(system, "I meant June")

    assert answers_of(system, ref) == {}
    assert texts_by(system, ref)[-1] == "A colleague can change it."


def test_a_call_with_an_unknown_question_records_none_of_its_answers(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(
        system,
        booking_service,
        records({"Start?": "May", "Are you a director?": "yes"}),
        records({"Start?": "June"}),
        data=FORM,
    )

    write(system, "From May, and I am the director")

    assert answers_of(system, ref) == {"Start?": "June"}


def test_no_more_answers_than_the_limit_are_recorded(
    system: System, booking_service: Receiver
) -> None:
    questions = [f"question {n}" for n in range(40)]
    data = {"clarificationPoints": [{"point": question} for question in questions]}
    with_model(system)
    ref = start_booking(
        system,
        booking_service,
        records(dict.fromkeys(questions[:20], "yes")),
        records(dict.fromkeys(questions[20:36], "yes")),
        model_answer("A colleague will ask for the rest."),
        records({questions[3]: "no"}),
        data=data,
    )

    write(system, "Yes to the first twenty", "m")
    write(system, "And to the next ones", "n")
    write(system, "Not to the fourth", "o")

    assert len(answers_of(system, ref)) == 20
    assert answers_of(system, ref)[questions[3]] == "no"
