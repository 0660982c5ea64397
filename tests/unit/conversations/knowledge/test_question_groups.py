"""Questions that ask the same come together by their words, in several languages, the same each time."""

from __future__ import annotations

import random

from conversations.ai.knowledge.question_groups import Asked, groups_of
from tests.cases import each

ENGLISH = [
    "May I send my tent back?",
    "Can I send back the tent?",
    "When does the shop open?",
    "When is the shop open on Sunday?",
    "Sending tents back: how?",
]


def grouped(questions: list[str], language: str | None) -> list[list[str]]:
    asked = [Asked(text, text, language) for text in questions]
    return groups_of(asked)


@each(
    ("language", "questions", "sizes"),
    [
        ("en", ENGLISH, [3, 2]),
        (
            "de",
            [
                "Kann ich das Zelt zurückschicken?",
                "Wann öffnet der Laden am Sonntag?",
                "Wie kann man Zelte zurückschicken?",
                "Ist der Laden am Sonntag offen?",
            ],
            [2, 2],
        ),
        (
            "fr",
            [
                "Puis-je renvoyer la tente ?",
                "Quels sont les horaires du magasin ?",
                "Comment renvoyer une tente achetée ?",
            ],
            [2, 1],
        ),
        (
            "ar",
            ["هل يمكنني إرجاع الخيمة؟", "متى يفتح المتجر؟", "كيف يمكن إرجاع خيمة؟"],
            [2, 1],
        ),
        ("ja", ["テントを返品できますか", "営業時間は何時ですか", "テントの返品方法は"], [2, 1]),
        (None, ["Tent back?", "\u0442\u0430\u0440\u0438\u0444\u044b?", "Tent back please"], [2, 1]),
    ],
)
def test_questions_with_the_same_words_come_together(
    language: str | None, questions: list[str], sizes: list[int]
) -> None:
    found = grouped(questions, language)

    assert [len(group) for group in found] == sizes
    assert sorted(one for group in found for one in group) == sorted(questions)


def test_questions_about_another_thing_stay_apart() -> None:
    texts = ["How much is the tent?", "How much is shipping?", "Where are you?", "?", "42?"]

    assert all(len(group) == 1 for group in grouped(texts, "en"))


def test_the_groups_are_the_same_each_time_and_in_the_order_of_the_questions() -> None:
    found = grouped(ENGLISH, "en")

    assert grouped(ENGLISH, "en") == found
    assert [group[0] for group in found] == [ENGLISH[0], ENGLISH[2]]


def test_two_hundred_questions_are_compared_with_bounds() -> None:
    chance = random.Random(1)  # noqa: S311 - words of a test
    words = [f"word{number}" for number in range(60)]
    texts = [" ".join(chance.sample(words, 8)) for _ in range(200)]

    found = grouped(texts, "en")

    assert sum(map(len, found)) == 200


def test_no_question_is_in_no_group() -> None:
    assert groups_of([]) == []
