"""The keywords STOP, START and HELP: each acts at once and has its effects once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from events.conversations import cast
from tests.integration.conversations.acts import (
    HOUR_MS,
    aside,
    meanwhile,
    model_says,
    says,
    stands,
    start_conversation,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.conversations.world import World


def write(world: World, text: str, name: str = "m", **fields: str) -> None:
    world.text(name, text, **fields)
    world.work_off()


def texts_sent(world: World, ref: str) -> list[str]:
    """The fixed texts that were sent."""
    return texts_by(world, ref, "system")


# Stop


def test_an_opt_out_is_confirmed_once(world: World) -> None:
    ref = world.begin("sms")

    write(world, "STOP", "one")
    write(world, "stop!!", "two")

    assert stands(world, ref) == ("opted_out", "said_stop")
    assert len(texts_sent(world, ref)) == 1


def test_a_second_opt_out_after_an_opt_in_is_confirmed_again(world: World) -> None:
    ref = world.begin("sms")

    for name, word in enumerate(("STOP", "START", "STOP")):
        world.clock.ms += HOUR_MS
        write(world, word, f"m{name}")

    assert stands(world, ref)[0] == "opted_out"
    assert len(texts_sent(world, ref)) == 2


def test_a_blocked_confirmation_does_not_reopen_the_conversation(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world, "STOP")

    assert stands(world, ref)[0] == "opted_out"
    assert texts_sent(world, ref) == []
    (notice,) = (m for m in world.log(ref) if m["author"] == "system")
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
def test_an_opt_out_keyword_is_recognised_in_every_spelling(world: World, text: str) -> None:
    ref = world.begin("sms")

    write(world, text)

    assert stands(world, ref) == ("opted_out", "said_stop")


@pytest.mark.parametrize("text", ["please stop by", "Don't stop", "Stop it, when is the shift?"])
def test_a_keyword_in_a_sentence_goes_to_the_model(world: World, text: str) -> None:
    ref = world.begin("sms")

    write(world, text)

    assert stands(world, ref)[0] == "reply_sent"


def test_a_company_may_have_keywords_of_its_own(world: World) -> None:
    world.change(policy={"opt_out_words": {"de": ["Tschüss"]}})
    ref = world.begin("sms")

    write(world, "TSCHÜSS!")

    assert stands(world, ref)[0] == "opted_out"


def test_a_stop_on_one_channel_applies_to_all_channels_and_addresses(world: World) -> None:
    world.begin("sms")

    write(world, "STOP")

    for number, channel in enumerate(("whatsapp", "email", "sms")):
        ref = start_conversation(world, channel, f"later-{number}")
        assert stands(world, ref) == ("blocked", "opted_out")
        assert world.log(ref) == []


def test_a_start_lifts_the_opt_out_on_its_own_channel_only(world: World) -> None:
    ref = world.begin("sms")
    write(world, "STOP", "one")
    world.clock.ms += HOUR_MS

    write(world, "Start", "two")

    assert stands(world, ref) == ("initial_message_sent", "said_start")
    assert stands(world, start_conversation(world, "sms", "later-1"))[0] == "initial_message_sent"
    assert stands(world, start_conversation(world, "whatsapp", "later-2")) == (
        "blocked",
        "opted_out",
    )


def test_after_an_opt_in_messages_are_answered_again(world: World) -> None:
    ref = world.begin("sms")
    for name, word in (("one", "STOP"), ("two", "START"), ("three", "Which shift is it?")):
        world.clock.ms += HOUR_MS
        write(world, word, name)

    assert stands(world, ref)[0] == "reply_sent"
    assert "nights" in texts_by(world, ref)[-1]


def test_yes_lifts_an_opt_out_made_by_a_keyword_in_this_channel(world: World) -> None:
    ref = world.begin("sms")
    write(world, "STOP", "one")
    world.clock.ms += HOUR_MS

    write(world, "Yes", "two")

    assert stands(world, ref)[0] == "initial_message_sent"


def test_without_an_opt_out_yes_is_an_ordinary_answer(world: World) -> None:
    ref = world.begin("sms")

    write(world, "YES")

    assert stands(world, ref)[0] == "reply_sent"


def test_yes_on_whatsapp_lifts_no_opt_out(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("one", "STOP")
    world.work_off()
    world.clock.ms += HOUR_MS

    world.whatsapp("two", "YES")
    world.work_off()

    assert stands(world, ref)[0] == "opted_out"


def test_yes_lifts_no_opt_out_made_by_other_means(world: World) -> None:
    ref = world.begin("sms")
    world.status(world.log(ref)[0]["provider_message_id"], "undelivered", ErrorCode="21610")
    world.work_off()
    assert stands(world, ref)[0] == "opted_out"
    world.clock.ms += HOUR_MS

    write(world, "YES")

    assert stands(world, ref)[0] == "opted_out"


# Buttons


def tapped(world: World, payload: str, label: str) -> None:
    world.whatsapp("m", label, MessageType="button", ButtonPayload=payload, ButtonText=label)
    world.work_off()


def test_a_button_with_the_payload_of_an_opt_out_is_one(world: World) -> None:
    ref = world.begin("whatsapp")

    tapped(world, "STOP", "No more messages, please")

    assert stands(world, ref) == ("opted_out", "said_stop")


def test_a_button_with_only_the_label_stop_is_no_opt_out(world: World) -> None:
    ref = world.begin("whatsapp")

    tapped(world, "machine-2-off", "STOP")

    assert stands(world, ref)[0] == "reply_sent"


# Keywords that the provider answers


@pytest.mark.parametrize("word", ["STOP", "HELP"])
def test_a_keyword_that_the_provider_answers_is_not_answered_twice(world: World, word: str) -> None:
    provider_answers(world)
    ref = world.begin("sms")

    write(world, word)

    assert texts_sent(world, ref) == []
    assert (stands(world, ref)[0] == "opted_out") is (word == "STOP")


def provider_answers(world: World) -> None:
    channels = cast.project()["channel_config"]
    sms = channels["sms"] | {"opt_out_handled_by": "provider"}
    world.change(channel_config=channels | {"sms": sms})


def test_a_keyword_that_only_the_provider_recognises_counts_by_its_mark(world: World) -> None:
    ref = world.begin("sms")

    write(world, "Basta ya", OptOutType="STOP")

    assert stands(world, ref)[0] == "opted_out"
    assert texts_sent(world, ref) == []


# Between the model's answer and the send


DRAFT, POLICY = "dynamodb.PutItem CONV#", "dynamodb.GetItem ACTION#"
ANSWER = "The shift is at night."


def answer_while(world: World, moment: str, something: Callable[[], None]) -> str:
    """The model answers, and before the first call of this name *act* is run; returns the conversation."""
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says(ANSWER))
    world.text("m", "Which shift is it?")
    world.take_in()

    meanwhile(world, moment, lambda _: something())
    world.work_off()
    return ref


def draft_of(world: World, ref: str) -> tuple[str, str | None]:
    """Status and error of the answer, which was certainly not sent."""
    assert ANSWER not in [message.get("Body") for message in world.sent()]
    draft = next(message for message in world.log(ref) if message["content"] == ANSWER)
    return draft["delivery_status"], draft.get("error_code")


@pytest.mark.parametrize(
    ("moment", "became"),
    [(DRAFT, ("discarded", None)), (POLICY, ("blocked", "opted_out"))],
    ids=["before the fence", "behind the fence"],
)
def test_a_stop_between_the_models_answer_and_the_send_prevents_the_send(
    world: World, moment: str, became: tuple[str, str | None]
) -> None:
    def stop() -> None:
        world.text("s", "STOP")
        world.take_in()

    ref = answer_while(world, moment, stop)

    assert stands(world, ref)[0] == "opted_out"
    assert draft_of(world, ref) == became
    assert world.state(ref).get("turn") is None
    assert len(texts_sent(world, ref)) == 1


def test_a_stop_on_another_channel_is_found_by_the_last_policy_check_before_the_send(
    world: World,
) -> None:
    """The fence of this conversation was not raised: the policy blocks the answer."""
    other = world.begin("whatsapp", request_id="req-2")

    def stop() -> None:
        world.whatsapp("s", "STOP")
        world.take_in()

    ref = answer_while(world, DRAFT, stop)

    assert stands(world, other)[0] == "opted_out"
    assert stands(world, ref) == ("opted_out", "opted_out")
    assert draft_of(world, ref) == ("blocked", "opted_out")


# Help


def test_a_request_for_help_is_answered_with_the_opt_out_hint(world: World) -> None:
    ref = world.begin("sms")

    write(world, "help?")

    (text,) = texts_sent(world, ref)
    assert text.startswith("Cucumber Recruitment: ")
    assert "STOP" in text
    assert len(texts_by(world, ref)) == 1  # The model did not answer it.


@pytest.mark.parametrize(
    ("help_text", "answer"),
    [
        (None, "Cucumber Recruitment: Reply STOP to opt out."),
        ("call us.", "Cucumber Recruitment: call us. Reply STOP to opt out."),
        ("call us, or say stop.", "Cucumber Recruitment: call us, or say stop."),
    ],
)
def test_the_answer_to_help_contains_the_opt_out_hint_with_any_text_of_the_project(
    world: World, help_text: str | None, answer: str
) -> None:
    world.change(policy={"help_text": help_text})
    ref = world.begin("sms")

    write(world, "HELP")

    assert texts_sent(world, ref) == [answer]


def test_an_opted_out_customer_gets_no_help(world: World) -> None:
    ref = world.begin("sms")
    write(world, "STOP", "one")

    write(world, "HELP", "two")

    assert len(texts_sent(world, ref)) == 1
    assert stands(world, ref)[0] == "opted_out"


def test_a_blocked_answer_to_help_causes_no_hand_off(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world, "HELP")

    assert stands(world, ref)[0] == "initial_message_sent"


def test_help_is_answered_in_a_closed_conversation(world: World) -> None:
    ref = world.begin("sms")
    resources = aside(world)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)

    write(world, "HELP")

    assert len(texts_sent(world, ref)) == 1
    assert stands(world, ref)[0] == "closed"
