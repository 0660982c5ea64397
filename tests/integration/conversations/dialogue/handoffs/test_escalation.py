"""An agent answers if the dialogue shows that one is needed, independently of the model; opt-outs need words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.steps import (
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
    write,
)
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
NOTICE = "A colleague will write to you."
CALM = [f"I can help you with that, number {n}." for n in range(9)]


def start(system: System, *answers: str) -> str:
    with_model(system, FIRST)
    system.change(policy={"handoff_notice": NOTICE})
    ref = system.begin("sms")
    model_says(system, *answers)
    return ref


def ask(system: System, *texts: str) -> None:
    for number, text in enumerate(texts):
        write(system, text, f"{number}{text}")


def test_a_question_for_the_fourth_time_reaches_a_person(system: System) -> None:
    ref = start(system, *map(model_answer, CALM))
    question = "When is my shift?"

    ask(system, question, "And where?", question, "I see", question, "What do I wear?", question)

    assert status_of(system, ref) == ("handoff_pending", "repeated_question")
    assert texts_by(system, ref)[1:] == CALM[:6]


def test_repetitions_that_the_model_names_are_counted(system: System) -> None:
    again = [model_answer(text, asks_again=True) for text in CALM[1:3]]
    ref = start(system, model_answer(CALM[0]), *again)

    ask(system, "Am I late?", "I mean the bus", "Will I miss it?")

    assert status_of(system, ref) == ("handoff_pending", "no_progress")
    assert texts_by(system, ref)[1:] == CALM[:2]


def test_the_same_answer_twice_is_repaired_or_reaches_a_person(system: System) -> None:
    same = model_answer(CALM[0])
    ref = start(system, same, same, model_answer("In other words: at ten."), *[same] * 3)

    ask(system, "When is my shift?", "I do not understand that")
    assert texts_by(system, ref)[1:] == [CALM[0], "In other words: at ten."]

    ask(system, "Where is it then")
    ask(system, "That is no answer")
    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert texts_by(system, ref)[1:] == [CALM[0], "In other words: at ten.", CALM[0]]


def test_after_a_hand_back_earlier_messages_do_not_count(system: System) -> None:
    ref = start(system, *map(model_answer, CALM))
    ask(system, "When is my shift?", "when is my shift", "So when is my shift?")
    system.call_admin_api("POST /conversations/{ref}/take-over", {PERSON: "eve"}, ref=ref)
    system.call_admin_api("POST /conversations/{ref}/hand-back", {PERSON: "eve"}, ref=ref)
    system.drain()

    write(system, "When is my shift?", "after")

    assert status_of(system, ref)[0] == "reply_sent"
    assert texts_by(system, ref)[-1] in CALM


# Opt-outs of the model


@pytest.mark.parametrize("text", ["I am no longer interested", "Nein danke", "Wrong number?"])
def test_an_opt_out_that_the_customers_words_do_not_show_waits_for_a_person(
    system: System, text: str
) -> None:
    ref = start(system, function_call("opt_out"))

    ask(system, text)

    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    shown = system.call_admin_api("GET /conversations/{ref}", ref=ref)
    assert shown["waits_for_approval"]["name"] == "opt_out"
    assert len(system.sent()) == 1, "nothing is sent, no notice either"
    assert not [key for key in system.rows() if "OPTOUT" in key[1]]


def test_a_person_confirms_the_opt_out(system: System) -> None:
    ref = start(system, function_call("opt_out"), model_answer(CALM[0]))
    ask(system, "I am no longer interested")

    system.call_admin_api("POST /conversations/{ref}/release", {PERSON: "eve"}, ref=ref)
    system.settle()

    assert status_of(system, ref)[0] == "opted_out"
    write(system, "Hello?", "again")
    assert texts_by(system, ref)[1:] == []


def test_a_person_refuses_the_opt_out(system: System) -> None:
    ref = start(system, function_call("opt_out"), model_answer(CALM[0]))
    ask(system, "I am no longer interested")

    body = {PERSON: "eve", "answer_pending": True}
    system.call_admin_api("POST /conversations/{ref}/hand-back", body, ref=ref)
    system.settle()

    assert status_of(system, ref)[0] == "reply_sent"
    assert texts_by(system, ref)[1:] == [CALM[0]]


@pytest.mark.parametrize("text", ["Leave me alone!", "Keine Nachrichten mehr bitte", "stop it now"])
def test_an_opt_out_with_the_customers_words_takes_effect_at_once(
    system: System, text: str
) -> None:
    ref = start(system, function_call("opt_out"))

    ask(system, text)

    assert status_of(system, ref)[0] == "opted_out"
