"""Hand-offs: why a person has to answer, what the customer is told, and that nobody else speaks then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations import agents, arriving
from conversations.office import Agent
from events.conversations import cast
from local.sandbox.openai import OpenAiAnswer
from tests.integration.conversations.acts import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    OPENAI_SECRET_ID,
    aside,
    at,
    calls,
    model_says,
    said,
    says,
    stands,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

NOTICE = "A colleague will answer you soon."


def write(world: World, text: str = "Which shift is it?", name: str = "m") -> None:
    world.text(name, text)
    world.work_off()


def told(world: World, ref: str) -> list[str]:
    return said(world, ref, "system")


# By the model


def test_who_asks_for_a_person_is_promised_one_and_the_model_falls_silent(world: World) -> None:
    ref = world.begin("sms")

    write(world, "Can I talk to a human please")

    item = world.conversation(ref)
    assert stands(world, ref) == ("handoff_pending", "ai")
    assert item["hand_off_to_human"] is True
    assert item["hand_off_to_human_reason"] == "User requested agent"
    assert world.state(ref)["mode"] == "human"
    assert len(said(world, ref)) == 2  # The promise was sent, then people have it.

    write(world, "Hello?", "n")
    assert len(said(world, ref)) == 2
    assert world.log(ref)[-1]["content"] == "Hello?"


def test_whom_the_model_has_promised_a_person_gets_no_notice_beside_it(world: World) -> None:
    ref = world.begin("sms")

    write(world, "Can I talk to a human please")

    assert told(world, ref) == []


def test_a_hand_off_without_a_word_to_the_customer_is_told_by_the_notice(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says("", hand_off={"reason": "They want to know their salary"}))

    write(world, "How much do I get?")

    assert stands(world, ref) == ("handoff_pending", "ai")
    assert world.conversation(ref)["hand_off_to_human_reason"] == "They want to know their salary"
    assert told(world, ref) == [NOTICE]


def test_a_project_without_a_notice_says_nothing(world: World) -> None:
    world.set_up(cast.project(policy={}))
    world.switch(automation_enabled="true")
    ref = world.begin("sms")
    world.switch(automation_enabled="false")

    write(world)

    assert stands(world, ref)[0] == "handoff_pending"
    assert told(world, ref) == []


def test_wording_alone_hands_nobody_over(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says("I will hand you over to a human agent, one moment please."))

    write(world)

    assert stands(world, ref)[0] == "reply_sent"


@pytest.mark.parametrize(
    "answers",
    [("prose", "more prose"), (says(""), says("")), (says("See https://evil.example"), "prose")],
    ids=["no form", "nothing said", "a foreign link"],
)
def test_an_answer_that_cannot_be_sent_even_the_second_time_is_a_persons(
    world: World, answers: tuple[str, str]
) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, *answers)

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_invalid_output")
    assert told(world, ref) == [NOTICE]
    assert len(said(world, ref)) == 1


def test_what_the_model_refuses_is_a_persons_at_once(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.sandbox.openai.answers.append(OpenAiAnswer(refusal="I cannot help with that."))

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_refused")


def test_a_model_that_stays_down_is_no_silence(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.sandbox.faults.add(kind="status", provider="openai", status=503, times=100)

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_failed")
    assert told(world, ref) == [NOTICE]
    assert world.lanes.dead_letters == []


def test_a_key_that_is_gone_is_no_silence_either(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.keep_secret(OPENAI_SECRET_ID, None)
    world.clock.ms += 10 * MINUTE_MS

    write(world)

    assert stands(world, ref) == ("handoff_pending", "secrets_missing")


def test_whatever_else_fails_five_times_is_seen_by_people(world: World) -> None:
    ref = world.begin("sms")
    world.wire.fails_if = lambda call: call.startswith("dynamodb.PutItem ACTION#")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "InternalServerError")
    assert len(world.lanes.dead_letters) == 1


def test_a_set_up_that_breaks_is_seen_by_people(world: World) -> None:
    ref = world.begin("sms")
    world.text("m", "Which shift is it?")
    world.take_in()
    world.set_up(cast.project(policy={"in_doubt": "perhaps"}))

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "configuration_invalid")


# Again, after a hand-back


HANDS_OVER = says("One moment.", hand_off={"reason": "I do not know"})


def given_back(world: World, reason: str = "I do not know") -> str:
    """A conversation that the model has handed off and a person has given back to it."""
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says("One moment.", hand_off={"reason": reason}))
    write(world, "Which shift is it?")
    hand_back(world, ref)
    return ref


def hand_back(world: World, ref: str) -> None:
    assert stands(world, ref)[0] == "handoff_pending"
    here = aside(world)
    agent = Agent(name="eve", principal="key", cause=f"back-{world.clock.ms}")
    agents.hand_back(here, arriving.opened(here, ref), agent, answer_pending=False)
    world.clock.ms += MINUTE_MS


@pytest.mark.parametrize("messages", [1, 2])
def test_the_model_does_not_hand_off_again_at_once_but_answers_itself(
    world: World, messages: int
) -> None:
    ref = given_back(world)
    for number in range(messages - 1):
        model_says(world, says("You start at nine."))
        write(world, "And when?", f"n{number}")
    model_says(world, HANDS_OVER, says("I am afraid I do not know."))

    write(world, "Is there a canteen?", "last")

    assert stands(world, ref)[0] == "reply_sent"
    assert said(world, ref)[-1] == "I am afraid I do not know."


def test_at_the_third_message_it_may_hand_off_again(world: World) -> None:
    ref = given_back(world)
    model_says(world, says("You start at nine."), says("At the gate."), HANDS_OVER)

    for name in ("one", "two", "three"):
        write(world, "And then?", name)

    assert stands(world, ref) == ("handoff_pending", "ai")


def test_messages_of_one_burst_count_each(world: World) -> None:
    ref = given_back(world)
    model_says(world, HANDS_OVER)

    for name in ("one", "two", "three"):
        world.text(name, "And then?")
    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "ai")


def test_who_asks_for_a_person_gets_one_at_once(world: World) -> None:
    ref = given_back(world)
    model_says(world, HANDS_OVER)

    write(world, "Can I talk to a human please", "n")

    assert stands(world, ref) == ("handoff_pending", "ai")


def test_a_model_that_insists_is_at_fault_and_a_person_has_to_answer(world: World) -> None:
    ref = given_back(world)
    model_says(world, HANDS_OVER, HANDS_OVER)

    write(world, "Is there a canteen?", "n")

    assert stands(world, ref) == ("handoff_pending", "ai_invalid_output")
    assert len(said(world, ref)) == 2  # What it said beside its hand-off was not sent.


def test_the_function_that_hands_off_is_refused_as_well(world: World) -> None:
    ref = given_back(world)
    model_says(world, calls("hand_off_to_human", reason="I do not know"), says("I do not know."))

    write(world, "Is there a canteen?", "n")

    assert said(world, ref)[-1] == "I do not know."


def test_what_keeps_the_model_from_answering_is_no_loop_of_its_own(world: World) -> None:
    ref = given_back(world)
    world.switch(automation_enabled="false")

    write(world, "Is there a canteen?", "n")

    assert stands(world, ref) == ("handoff_pending", "automation_off")


def test_another_reason_than_the_last_one_is_not_barred(world: World) -> None:
    ref = given_back(world)
    model_says(world, "prose", "more prose")
    write(world, "Is there a canteen?", "n")
    hand_back(world, ref)
    model_says(world, HANDS_OVER)

    write(world, "Hello?", "o")

    assert stands(world, ref) == ("handoff_pending", "ai")


# By the rules


@pytest.mark.parametrize(
    ("listed", "is_held"), [([], True), (["07700 900123"], True), (["+447700900999"], False)]
)
def test_the_rule_for_replies_holds_all_back_or_those_on_its_list(
    world: World, listed: list[str], is_held: bool
) -> None:
    rule = {"auto_queue_reply_message": True, "auto_queue_reply_message_from_number": listed}
    world.set_up(cast.project(**rule))
    ref = world.begin("sms")

    write(world)

    held = ("handoff_pending", "reply_review")
    assert (stands(world, ref) == held) == is_held
    assert len(said(world, ref)) == (1 if is_held else 2)


def test_the_rule_is_the_one_from_when_the_conversation_began(world: World) -> None:
    ref = world.begin("sms")
    world.change(auto_queue_reply_message=True)

    write(world)

    assert stands(world, ref)[0] == "reply_sent"


def test_without_automation_people_answer_and_the_customer_is_told(world: World) -> None:
    ref = world.begin("sms")
    world.switch(automation_enabled="false")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "automation_off")
    assert told(world, ref) == [NOTICE]


def test_in_safe_mode_nothing_leaves_not_even_the_notice(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "safe_mode")
    assert len(world.sent()) == 1


def test_a_project_that_is_switched_off_answers_no_more(world: World) -> None:
    ref = world.begin("sms")
    world.change(project_status="inactive")
    world.clock.ms += MINUTE_MS

    write(world)

    assert stands(world, ref) == ("handoff_pending", "project_inactive")
    assert len(world.sent()) == 1


def test_two_machines_that_answer_each_other_are_stopped(world: World) -> None:
    world.change(policy={"answers_per_hour": 3})
    ref = world.begin("sms")

    for number in range(5):
        write(world, "Which shift is it?", f"m{number}")

    assert stands(world, ref) == ("handoff_pending", "loop_cap")
    assert len(said(world, ref)) == 1 + 3


def test_an_hour_later_there_is_room_again(world: World) -> None:
    world.change(policy={"answers_per_hour": 2})
    ref = world.begin("sms")
    for number in range(2):
        write(world, "Which shift is it?", f"m{number}")
    world.clock.ms += HOUR_MS

    write(world, "And now?", "n")

    assert stands(world, ref)[0] == "reply_sent"


# By the window


def asked_yesterday(world: World) -> str:
    """A candidate has written over WhatsApp; whoever should answer was down for more than a day."""
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms += DAY_MS
    return ref


def test_after_a_day_only_the_template_that_asks_to_go_on_may_leave(world: World) -> None:
    ref = asked_yesterday(world)

    world.work_off()

    assert stands(world, ref)[0] == "reply_sent"
    newest = world.log(ref)[-1]
    assert (newest["template"], newest["author"]) == ("still_there", "system")
    assert world.sent()[-1]["ContentSid"] == cast.STILL_THERE["content_sid"]
    assert world.state(ref)["answered_up_to"] == world.log(ref)[-2]["sk"]


def test_without_such_a_template_a_person_has_to_find_a_way(world: World) -> None:
    config: dict[str, Any] = cast.project()["channel_config"]
    whatsapp = {n: v for n, v in config["whatsapp"].items() if n != "reengagement_template"}
    world.change(channel_config=config | {"whatsapp": whatsapp})
    ref = asked_yesterday(world)

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "window_closed")
    assert len(world.sent()) == 1


def test_a_minute_before_the_day_is_over_the_model_still_answers(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms += DAY_MS - 2 * MINUTE_MS

    world.work_off()

    assert "nights" in said(world, ref)[-1]


def test_the_template_that_asks_to_go_on_waits_for_the_morning(world: World) -> None:
    world.change(timezone="Europe/London")
    world.clock.ms = at("22:30") - 13 * HOUR_MS
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms = at("22:30") + DAY_MS

    world.work_off()
    assert len(world.sent()) == 1
    assert world.due_at() == ["2026-01-03T08:00:00.000Z"]

    world.settle()
    assert world.log(ref)[-1]["template"] == "still_there"
    assert len(world.sent()) == 2


# By functions


def test_a_function_that_people_have_to_approve_does_not_run(world: World) -> None:
    with_model(
        world,
        says("Hello Ann, can you start in May?"),
        calls("sign_contract", start="May"),
        functions=[
            {
                "name": "sign_contract",
                "description": "Signs the contract.",
                "parameters": {
                    "type": "object",
                    "properties": {"start": {"type": "string"}},
                    "required": ["start"],
                    "additionalProperties": False,
                },
                "approval": True,
                "target": "https://functions.example/sign",
            }
        ],
    )
    ref = world.begin("sms")

    write(world, "I take the job")

    item = world.conversation(ref)
    assert stands(world, ref) == ("handoff_pending", "function_approval")
    assert (item["function_call"], item["function_call_type"]) == (True, "sign_contract")
    assert [call for call in world.wire.calls if call.startswith("HTTP.POST /sign")] == []
    assert told(world, ref) == [NOTICE]


# Given back


def give_back(world: World, ref: str, cause: str) -> None:
    """An agent gives a conversation back, and the model is to answer what waits."""
    here = aside(world)
    agent = Agent(name="eve", principal="api-key:1", cause=cause)
    agents.hand_back(here, arriving.opened(here, ref), agent, answer_pending=True)
    world.work_off()


@pytest.mark.parametrize("status", [400, 500], ids=["refused", "in doubt"])
def test_an_answer_that_did_not_leave_is_given_anew_where_people_give_it_back(
    world: World, status: int
) -> None:
    ref = world.begin("sms")
    for cause in ("one", "two"):
        world.sandbox.faults.add(
            kind="status", provider="twilio", operation="create_message", status=status
        )
        if cause == "one":
            write(world)
        else:
            give_back(world, ref, cause)
        world.settle()
        assert stands(world, ref)[0] == "handoff_pending"

    give_back(world, ref, "three")

    assert stands(world, ref)[0] == "reply_sent"
    assert len(said(world, ref)) == 2
    answers = [m for m in world.log(ref) if str(m.get("turn_id")).startswith("reply:")]
    assert len({m["entry_id"] for m in answers}) == len(answers) == 3
    assert world.state(ref)["answered_up_to"] in str(answers[-1]["turn_id"])
