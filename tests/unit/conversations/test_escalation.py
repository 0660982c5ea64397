"""The net under the model: which dialogues an agent must answer, and which not."""

from __future__ import annotations

import pytest

from conversations.ai import escalation
from conversations.ai.checks.phrases import clearly_asks_for_a_person, wants_no_messages
from conversations.ai.outcome import Cause
from conversations.ai.prompt.system_prompt import HistoryMessage
from shared.ai import port as ai
from shared.ai.languages.function_words import plain_words
from tests.cases import each

REQUESTS = [
    "Can I talk to a human please",
    "I want to speak with someone about my contract",
    "put me through to your team",
    "Ich möchte mit einem Menschen sprechen!",
    "Verbinden Sie mich bitte",
    "Je veux parler à un conseiller",
    "Quiero hablar con una persona, por favor",
    "Vorrei parlare con un operatore",
    "Quero falar com um atendente",
    "Ik wil met een medewerker spreken",
    "Chcę rozmawiać z człowiekiem",
    "agent",
    "I need a human",
    "Let me speak to a real person",
    "Kann ich mit einer echten Person reden?",
    "Kan ik een echte persoon spreken?",
    "Chci mluvit s člověkem",
    "Vreau să vorbesc cu o persoană",
    "Соедините меня с оператором",  # noqa: RUF001 - Cyrillic
    "Haluan puhua ihmisen kanssa",
    "أريد التحدث مع شخص حقيقي",
    "Θέλω να μιλήσω με άνθρωπο",  # noqa: RUF001 - Greek
    "मुझे किसी इंसान से बात करनी है",
    "担当者と話したいです",
    "我要转人工",
    "상담원 연결 해주세요",
    "ขอคุยกับเจ้าหน้าที่ค่ะ",
    "Tôi muốn nói chuyện với nhân viên",
]
NO_REQUESTS = [
    "You can call me Ann",
    "A table for one person please",
    "Are you a real person?",
    "Am I talking to a real person?",
    "Spreche ich mit einer echten Person?",
    "Ik woon samen met een persoon uit Gent",
    "I do not want to talk to a person, just tell me the time",
    "Ich möchte nicht mit einem Menschen sprechen",
    "My estate agent please wants a copy",
    "Mi chiami Anna?",
    "Is the agent for sale?",
    "How many people work there?",
    'Your site says "talk to a person", where is that?',
    "不要转人工",
    "昨天人很多。请问几点开门",
]
STOPS = [
    "please stop texting me",
    "Don\u2019t contact me ever again",
    "take me off your list",
    "Lassen Sie mich in Ruhe",
    "Ich will keine Nachrichten mehr",
    "Ne m'écrivez plus jamais",
    "No quiero más mensajes",
    "Non scrivetemi più",
    "Não me mandem mais nada",
    "geen berichten meer aub",
    "Nie piszcie do mnie",
]
NO_STOPS = [
    "I am no longer interested in the job",
    "No thanks",
    "Wrong number?",
    "Nein danke, ich habe schon etwas",
    "Bonne journée",
    "I have found another flat",
]


def dialogue(*texts: str) -> list[HistoryMessage]:
    """Messages of the customer, and of the model if they begin with `>`."""
    return [
        HistoryMessage(
            ai.Role.ASSISTANT if text.startswith(">") else ai.Role.USER, text.removeprefix(">")
        )
        for text in texts
    ]


@each("text", REQUESTS)
def test_a_clear_request_for_a_person_is_one(text: str) -> None:
    assert clearly_asks_for_a_person(plain_words(text))
    assert escalation.cause_of(dialogue("Hello", ">Hello!", text)) is Cause.ASKED_FOR_PERSON


@each("text", NO_REQUESTS)
def test_an_unclear_or_negated_request_is_left_to_the_model(text: str) -> None:
    assert escalation.cause_of(dialogue("Hello", ">Hello!", text)) is None


def test_an_earlier_request_that_was_answered_is_none() -> None:
    assert escalation.cause_of(dialogue(REQUESTS[0], ">A colleague answers.", "Thanks!")) is None


@each("text", STOPS)
def test_words_of_an_opt_out_are_known(text: str) -> None:
    assert wants_no_messages(plain_words(text))


@pytest.mark.parametrize("text", NO_STOPS)
def test_other_words_are_no_opt_out(text: str) -> None:
    assert not wants_no_messages(plain_words(text))


@pytest.mark.parametrize(
    "texts",
    [
        ("When is my shift?", "When is my shift?", "When is my shift"),
        ("Where do I have to go tomorrow?", "where do I have to go", "So where do I have to go?"),
        ("when does it begin", "so when does it begin", "when does it begin"),
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
