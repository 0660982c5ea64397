"""The keywords STOP, START and HELP: each acts at once and has its effects once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    HOUR_MS,
    before_call,
    direct_resources,
    model_answer,
    model_says,
    start_conversation,
    status_of,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.conversations.system import System


def write(system: System, text: str, name: str = "m", **fields: str) -> None:
    system.text(name, text, **fields)
    system.drain()


def texts_sent(system: System, ref: str) -> list[str]:
    """The fixed texts that were sent."""
    return texts_by(system, ref, "system")


# Stop


def test_an_opt_out_is_confirmed_once(system: System) -> None:
    ref = system.begin("sms")

    write(system, "STOP", "one")
    write(system, "stop!!", "two")

    assert status_of(system, ref) == ("opted_out", "said_stop")
    assert len(texts_sent(system, ref)) == 1


def test_a_second_opt_out_after_an_opt_in_is_confirmed_again(system: System) -> None:
    ref = system.begin("sms")

    for name, word in enumerate(("STOP", "START", "STOP")):
        system.clock.ms += HOUR_MS
        write(system, word, f"m{name}")

    assert status_of(system, ref)[0] == "opted_out"
    assert len(texts_sent(system, ref)) == 2


def test_a_blocked_confirmation_does_not_reopen_the_conversation(system: System) -> None:
    ref = system.begin("sms")
    system.switch(safe_mode="true")

    write(system, "STOP")

    assert status_of(system, ref)[0] == "opted_out"
    assert texts_sent(system, ref) == []
    (notice,) = (m for m in system.log(ref) if m["author"] == "system")
    assert (notice["delivery_status"], notice["error_code"]) == ("blocked", "safe_mode")


@pytest.mark.parametrize(
    "text",
    [
        "STOP",
        " stop. ",
        "Stop!!",
        "\uff33\uff34\uff2f\uff30",
        "opt-out",
        "Arrêt",
        "sair",
        "🛑 Stop",
    ],
)
def test_an_opt_out_keyword_is_recognised_in_every_spelling(system: System, text: str) -> None:
    ref = system.begin("sms")

    write(system, text)

    assert status_of(system, ref) == ("opted_out", "said_stop")


@pytest.mark.parametrize("text", ["please stop by", "Don't stop", "Stop it, when is the shift?"])
def test_a_keyword_in_a_sentence_goes_to_the_model(system: System, text: str) -> None:
    ref = system.begin("sms")

    write(system, text)

    assert status_of(system, ref)[0] == "reply_sent"


def test_a_company_may_have_keywords_of_its_own(system: System) -> None:
    system.change(policy={"opt_out_words": {"de": ["Tschüss"]}})
    ref = system.begin("sms")

    write(system, "TSCHÜSS!")

    assert status_of(system, ref)[0] == "opted_out"


def test_a_stop_on_one_channel_applies_to_all_channels_and_addresses(system: System) -> None:
    system.begin("sms")

    write(system, "STOP")

    for number, channel in enumerate(("whatsapp", "email", "sms")):
        ref = start_conversation(system, channel, f"later-{number}")
        assert status_of(system, ref) == ("blocked", "opted_out")
        assert system.log(ref) == []


def test_a_start_lifts_the_opt_out_on_its_own_channel_only(system: System) -> None:
    ref = system.begin("sms")
    write(system, "STOP", "one")
    system.clock.ms += HOUR_MS

    write(system, "Start", "two")

    assert status_of(system, ref) == ("initial_message_sent", "said_start")
    assert (
        status_of(system, start_conversation(system, "sms", "later-1"))[0] == "initial_message_sent"
    )
    assert status_of(system, start_conversation(system, "whatsapp", "later-2")) == (
        "blocked",
        "opted_out",
    )


def test_after_an_opt_in_messages_are_answered_again(system: System) -> None:
    ref = system.begin("sms")
    for name, word in (("one", "STOP"), ("two", "START"), ("three", "Which shift is it?")):
        system.clock.ms += HOUR_MS
        write(system, word, name)

    assert status_of(system, ref)[0] == "reply_sent"
    assert "nights" in texts_by(system, ref)[-1]


def test_yes_lifts_an_opt_out_made_by_a_keyword_in_this_channel(system: System) -> None:
    ref = system.begin("sms")
    write(system, "STOP", "one")
    system.clock.ms += HOUR_MS

    write(system, "Yes", "two")

    assert status_of(system, ref)[0] == "initial_message_sent"


def test_without_an_opt_out_yes_is_an_ordinary_answer(system: System) -> None:
    ref = system.begin("sms")

    write(system, "YES")

    assert status_of(system, ref)[0] == "reply_sent"


def test_yes_on_whatsapp_lifts_no_opt_out(system: System) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("one", "STOP")
    system.drain()
    system.clock.ms += HOUR_MS

    system.whatsapp("two", "YES")
    system.drain()

    assert status_of(system, ref)[0] == "opted_out"


def test_yes_lifts_no_opt_out_made_by_other_means(system: System) -> None:
    ref = system.begin("sms")
    system.status(system.log(ref)[0]["provider_message_id"], "undelivered", ErrorCode="21610")
    system.drain()
    assert status_of(system, ref)[0] == "opted_out"
    system.clock.ms += HOUR_MS

    write(system, "YES")

    assert status_of(system, ref)[0] == "opted_out"


# Buttons


def tapped(system: System, payload: str, label: str) -> None:
    system.whatsapp("m", label, MessageType="button", ButtonPayload=payload, ButtonText=label)
    system.drain()


def test_a_button_with_the_payload_of_an_opt_out_is_one(system: System) -> None:
    ref = system.begin("whatsapp")

    tapped(system, "STOP", "No more messages, please")

    assert status_of(system, ref) == ("opted_out", "said_stop")


def test_a_button_with_only_the_label_stop_is_no_opt_out(system: System) -> None:
    ref = system.begin("whatsapp")

    tapped(system, "machine-2-off", "STOP")

    assert status_of(system, ref)[0] == "reply_sent"


# Keywords that the provider answers


@pytest.mark.parametrize("word", ["STOP", "HELP"])
def test_a_keyword_that_the_provider_answers_is_not_answered_twice(
    system: System, word: str
) -> None:
    provider_answers(system)
    ref = system.begin("sms")

    write(system, word)

    assert texts_sent(system, ref) == []
    assert (status_of(system, ref)[0] == "opted_out") is (word == "STOP")


def provider_answers(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    sms = channels["sms"] | {"opt_out_handled_by": "provider"}
    system.change(channel_config=channels | {"sms": sms})


def test_a_keyword_that_only_the_provider_recognises_counts_by_its_mark(system: System) -> None:
    ref = system.begin("sms")

    write(system, "Basta ya", OptOutType="STOP")

    assert status_of(system, ref)[0] == "opted_out"
    assert texts_sent(system, ref) == []


# Between the model's answer and the send


DRAFT = ("dynamodb.PutItem CONV#",)
POLICY = (*DRAFT, "dynamodb.BatchGetItem")  # the first read behind the fence
ANSWER = "The shift is at night."


def answer_while(system: System, moment: tuple[str, ...], something: Callable[[], None]) -> str:
    """The model answers, and before the last of these calls *something* is run; returns the conversation."""
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    model_says(system, model_answer(ANSWER))
    system.text("m", "Which shift is it?")
    system.run_intake()

    def wait(calls: tuple[str, ...]) -> None:
        if calls:
            before_call(system, calls[0], lambda _: wait(calls[1:]))
        else:
            something()

    wait(moment)
    system.drain()
    return ref


def draft_of(system: System, ref: str) -> tuple[str, str | None]:
    """Status and error of the answer, which was certainly not sent."""
    assert ANSWER not in [message.get("Body") for message in system.sent()]
    draft = next(message for message in system.log(ref) if message["content"] == ANSWER)
    return draft["delivery_status"], draft.get("error_code")


@pytest.mark.parametrize(
    ("moment", "became"),
    [(DRAFT, ("discarded", None)), (POLICY, ("blocked", "opted_out"))],
    ids=["before the fence", "behind the fence"],
)
def test_a_stop_between_the_models_answer_and_the_send_prevents_the_send(
    system: System, moment: tuple[str, ...], became: tuple[str, str | None]
) -> None:
    def stop() -> None:
        system.text("s", "STOP")
        system.run_intake()

    ref = answer_while(system, moment, stop)

    assert status_of(system, ref)[0] == "opted_out"
    assert draft_of(system, ref) == became
    assert system.state(ref).get("turn") is None
    assert len(texts_sent(system, ref)) == 1


def test_a_stop_on_another_channel_is_found_by_the_last_policy_check_before_the_send(
    system: System,
) -> None:
    """The fence of this conversation was not raised: the policy blocks the answer."""
    other = system.begin("whatsapp", request_id="req-2")

    def stop() -> None:
        system.whatsapp("s", "STOP")
        system.run_intake()

    ref = answer_while(system, DRAFT, stop)

    assert status_of(system, other)[0] == "opted_out"
    assert status_of(system, ref) == ("opted_out", "opted_out")
    assert draft_of(system, ref) == ("blocked", "opted_out")


# Help


def test_a_request_for_help_is_answered_with_the_opt_out_hint(system: System) -> None:
    ref = system.begin("sms")

    write(system, "help?")

    (text,) = texts_sent(system, ref)
    assert text.startswith("Cucumber Recruitment: ")
    assert "STOP" in text
    assert len(texts_by(system, ref)) == 1  # The model did not answer it.


@pytest.mark.parametrize(
    ("help_text", "answer"),
    [
        (None, "Cucumber Recruitment: Reply STOP to opt out."),
        ("call us.", "Cucumber Recruitment: call us. Reply STOP to opt out."),
        ("call us, or say stop.", "Cucumber Recruitment: call us, or say stop."),
    ],
)
def test_the_answer_to_help_contains_the_opt_out_hint_with_any_text_of_the_project(
    system: System, help_text: str | None, answer: str
) -> None:
    system.change(policy={"help_text": help_text})
    ref = system.begin("sms")

    write(system, "HELP")

    assert texts_sent(system, ref) == [answer]


def test_an_opted_out_customer_gets_no_help(system: System) -> None:
    ref = system.begin("sms")
    write(system, "STOP", "one")

    write(system, "HELP", "two")

    assert len(texts_sent(system, ref)) == 1
    assert status_of(system, ref)[0] == "opted_out"


def test_a_blocked_answer_to_help_causes_no_hand_off(system: System) -> None:
    ref = system.begin("sms")
    system.switch(safe_mode="true")

    write(system, "HELP")

    assert status_of(system, ref)[0] == "initial_message_sent"


def test_help_is_answered_in_a_closed_conversation(system: System) -> None:
    ref = system.begin("sms")
    resources = direct_resources(system)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)

    write(system, "HELP")

    assert len(texts_sent(system, ref)) == 1
    assert status_of(system, ref)[0] == "closed"
