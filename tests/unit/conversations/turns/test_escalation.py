"""The net under the model: which dialogues an agent must answer, and which not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conversations.ai.outcome import Cause
from conversations.ai.prompt.system_prompt import HistoryMessage
from conversations.ai.turn import escalation
from shared.ai import port as ai


def dialogue(*texts: str) -> list[HistoryMessage]:
    """Messages of the customer, and of the model if they begin with `>`."""
    return [
        HistoryMessage(
            ai.Role.ASSISTANT if text.startswith(">") else ai.Role.USER, text.removeprefix(">")
        )
        for text in texts
    ]


def test_a_clear_request_for_a_person_needs_an_agent_and_a_quoted_or_negated_one_does_not() -> None:
    def cause(text: str) -> Cause | None:
        return escalation.cause_of(dialogue("Hello", ">Hello!", text))

    assert cause("Can I talk to a human please") is Cause.ASKED_FOR_PERSON
    assert cause('Your site says "talk to a person", where is that?') is None
    assert cause("I do not want to talk to a person, just tell me the time") is None


def test_an_earlier_request_that_was_answered_is_none() -> None:
    assert (
        escalation.cause_of(dialogue("I need a human", ">A colleague answers.", "Thanks!")) is None
    )


@pytest.mark.parametrize(
    "texts",
    [
        ("When is my shift?", "When is my shift?", "When is my shift"),
        ("Where do I have to go tomorrow?", "where do I have to go", "So where do I have to go?"),
        ("when does it begin", "so when does it begin", "when does it begin"),
        (
            "シフトは何時に始まりますか?",
            "で、シフトは何時に始まりますか?",
            "シフトは何時に始まりますか?",
        ),
        ("Wann beginnt die Schicht?", "Wann beginnt die Schicht??", "WANN beginnt die Schicht"),
    ],
)
def test_the_same_question_three_times_in_a_row_is_no_progress(texts: tuple[str, ...]) -> None:
    first, second, third = texts

    found = escalation.cause_of(dialogue(first, ">We are.", second, ">I see.", third))

    assert found is Cause.NO_PROGRESS


def test_the_same_question_four_times_among_others_is_repeated() -> None:
    question = "When is my shift?"
    others = ["And where is it?", "Thank you", "What do I wear?"]
    history = [text for other in others for text in (question, ">Soon.", other, ">Fine.")]

    assert escalation.cause_of(dialogue(*history)) is None
    assert escalation.cause_of(dialogue(*history, question)) is Cause.REPEATED_QUESTION


@pytest.mark.parametrize(
    "texts",
    [
        ("ok", ">Fine.", "ok", ">Good.", "ok", ">Done.", "ok"),
        ("yes", ">And nights?", "yes", ">And weekends?", "yes"),
        ("Yes I do", ">Nights?", "Yes I do", ">Sundays?", "Yes I do", ">Cars?", "Yes I do"),
        ("No, not at all", ">Nights?", "No, not at all", ">Sundays?", "No, not at all"),
        ("Which shift is it?", "Which shift is it?", "Which shift is it?"),
        ("This is number 1", ">Noted.", "This is number 2", ">Noted.", "This is number 3"),
        ("When is my shift?", ">At ten.", "Where is my shift?", ">Here.", "When do I leave?"),
    ],
)
def test_short_answers_bursts_and_other_questions_are_no_repetition(texts: tuple[str, ...]) -> None:
    assert escalation.cause_of(dialogue(*texts)) is None


@pytest.mark.parametrize(
    ("answer", "is_repeated"),
    [
        ("May I ask whether you have a licence?", True),
        ("may I ask WHETHER you have a licence", True),
        ("You have a licence, I see.", False),
    ],
)
def test_an_answer_equal_to_the_last_one_is_repeated(answer: str, is_repeated: bool) -> None:
    history = dialogue(">May I ask whether you have a licence?", "Where is it?")

    assert escalation.is_repeated(answer, history) is is_repeated


def test_thanks_and_the_answer_of_a_colleague_may_be_repeated() -> None:
    of_colleague = HistoryMessage(ai.Role.ASSISTANT, "We begin at ten in the morning.", True)

    assert not escalation.is_repeated(
        "You are very welcome!", dialogue(">You are very welcome!", "ok")
    )
    assert not escalation.is_repeated("We begin at ten in the morning.", [of_colleague])


@pytest.mark.parametrize(
    "texts",
    [
        ("When does my shift start?", "What time do I begin work?", "At what hour does work start"),
        ("Wann kommt mein Paket?", "An welchem Tag bekomme ich es, das Paket?", "Und die Lieferung, wann kommt die?"),
        ("Quand commence mon travail ?", "À quelle heure débute le poste ?", "Le travail commence quand ?"),
        ("¿Cuándo llega mi pedido?", "¿Qué día recibo el paquete?", "¿Cuándo recibiré el pedido?"),
        ("When does my shift start?", "That's not what I asked.", "You didn't answer my question"),
        ("When does my shift start?", "You didn't answer. What time do I start work?", "Not what I asked"),
        ("You didn't answer", "You haven't answered yet", "Please answer my question"),
        ("Quanto costa la pulizia?", "Non ha risposto.", "Qual è il prezzo della pulizia?"),
    ],
)  # fmt: skip
def test_the_same_question_in_other_words_or_a_complaint_is_no_progress(
    texts: tuple[str, ...],
) -> None:
    first, second, third = texts

    assert escalation.cause_of(dialogue(first, ">We are.", second)) is None
    found = escalation.cause_of(dialogue(first, ">We are.", second, ">I see.", third))
    assert found is Cause.NO_PROGRESS


def test_the_same_question_four_times_in_other_words_is_repeated() -> None:
    asked = ["When does my shift start?", "What time do I begin work?"] * 2
    others = ["And where is it?", "Thank you", "What do I wear?", ""]
    pairs = zip(asked, others, strict=True)
    history = [text for question, other in pairs for text in (question, ">Soon.", other, ">Fine.")]

    assert escalation.cause_of(dialogue(*history[:8])) is None
    assert escalation.cause_of(dialogue(*history[:13])) is Cause.REPEATED_QUESTION


@pytest.mark.parametrize(
    "texts",
    [
        ("When does my shift start?", ">At ten.", "When does it end?", ">At six.", "Where do I start?"),
        ("How much is delivery to France?", ">4 EUR.", "And to Spain, how much is delivery?", ">5 EUR.",
         "How much is delivery to Italy?"),
        ("That's not what I asked.", ">Sorry.", "I mean the other one", ">I see.", "Thanks"),
        ("When is my appointment?", ">Monday.", "Can I move the appointment?", ">Yes.",
         "Can I cancel the appointment?"),
    ],
)  # fmt: skip
def test_questions_about_something_else_are_no_repetition(texts: tuple[str, ...]) -> None:
    assert escalation.cause_of(dialogue(*texts)) is None


def test_the_third_repetition_that_the_model_names_reaches_a_person() -> None:
    texts = [text for number in range(5) for text in (f"Is it {number}?", f">It is {number}.")]

    def cause(*named: int) -> Cause | None:
        history = [
            replace(message, asks_again=place in named)
            for place, message in enumerate(dialogue(*texts, "Is it 5?"))
        ]
        return escalation.cause_of(history, "It is 5.", asks_again=True)

    assert cause() is cause(3) is None
    assert cause(3, 7) is Cause.REPEATED_QUESTION
    assert cause(9) is Cause.NO_PROGRESS, "twice in a row"
    thanks = [replace(message, asks_again=True) for message in dialogue(*texts, "Thank you")]
    assert escalation.cause_of(thanks, "You are welcome.", asks_again=True) is None
