"""An answer is refused for its language only if the languages of question and answer are certain and differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.steps import (
    model_answer,
    model_says,
    start_conversation,
    status_of,
    texts_by,
    with_model,
    write,
)
from tests.unit.shared.languages.test_certain_languages import TEXTS

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
ENGLISH = "The job is still free, and you can start with us on Monday."
SPANISH = "Claro que sí: puede empezar el lunes, y el puesto es para usted."


def answers_to(system: System, question: str, *answers: str, **project: str) -> list[str]:
    """The AI's texts that are sent to the customer's *question*, for a model that gives *answers*."""
    prompts = {"initial": "Be kind.", "reply": "Be kind.", **project}
    with_model(system, FIRST, prompts=prompts)
    ref = system.begin("sms")
    model_says(system, *map(model_answer, answers))
    write(system, question)
    return texts_by(system, ref)[1:]


@pytest.mark.parametrize("language", ["ru", "ar", "zh", "el", "hi", "ro", "uk", "ja", "tr", "nl"])
def test_an_answer_in_the_language_of_the_question_is_sent(system: System, language: str) -> None:
    question, answer = TEXTS[language]

    assert answers_to(system, question, answer) == [answer]


@pytest.mark.parametrize(
    "question", ["ok", "Sí", "👍", "14:30", "Hola, can you call me por favor?"]
)
def test_after_a_question_without_a_certain_language_any_language_is_sent(
    system: System, question: str
) -> None:
    assert answers_to(system, question, SPANISH) == [SPANISH]


def test_an_answer_in_certainly_another_language_is_asked_for_again(system: System) -> None:
    question = "When can I start, and who will be there?"

    assert answers_to(system, question, SPANISH, ENGLISH) == [ENGLISH]


def test_an_answer_in_another_script_is_asked_for_again(system: System) -> None:
    question = "When can I start, and who will be there?"

    assert answers_to(system, question, TEXTS["ru"][1], ENGLISH) == [ENGLISH]


def test_a_customer_may_ask_for_another_language(system: System) -> None:
    question = "Can you please write to me in Spanish? I am not so good at this."

    assert answers_to(system, question, SPANISH) == [SPANISH]


def test_a_projects_prompt_may_ask_for_another_language(system: System) -> None:
    question = "When can I start, and who will be there?"

    assert answers_to(system, question, SPANISH, reply="Always answer in Spanish.") == [SPANISH]


def test_a_first_message_may_be_in_another_language_than_the_projects_default(
    system: System,
) -> None:
    with_model(system, model_answer(SPANISH))

    ref = start_conversation(system)

    assert texts_by(system, ref)[0].startswith(SPANISH)


def test_a_first_message_in_another_language_than_the_requests_is_asked_for_again(
    system: System,
) -> None:
    german = "Hallo Ann, wann können Sie bei uns anfangen, und haben Sie einen Führerschein?"
    with_model(system, model_answer(SPANISH), model_answer(german))

    ref = start_conversation(system, language="de")

    assert texts_by(system, ref)[0].startswith(german)


def test_an_answer_that_stays_in_another_language_is_handed_off(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    model_says(system, model_answer(SPANISH), model_answer(SPANISH))

    write(system, "When can I start, and who will be there?")

    assert status_of(system, ref)[0] == "handoff_pending"
