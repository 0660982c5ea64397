"""Questions that ask the same come together by their words, in several languages, the same each time."""

from __future__ import annotations

import random
from typing import Any

from conversations.ai.knowledge.question_groups import (
    LEAST_COSINE,
    LEAST_COSINE_OF_COHERE_V3,
    Asked,
    Group,
    groups_of,
    least_alike_of,
)
from shared.ai.settings import EmbeddingSettings
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
    return [list(one.questions) for one in groups_of(asked)]


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


def test_questions_with_vectors_come_together_by_them_in_any_language_and_the_others_by_words() -> (
    None
):
    german, english, other, plain, same = (
        Asked("de", "Darf ich mein Zelt zurückschicken?", "de"),
        Asked("en", "May I send my tent back?", "en"),
        Asked("open", "When do you open?", "en"),
        Asked("w1", "Where is my tent now?", "en"),
        Asked("w2", "Where is the tent now?", "en"),
    )
    vectors = {"de": (100, 10), "en": (90, -5), "open": (-8, 120)}

    groups = groups_of([plain, german, same, other, english], vectors)

    assert groups == [
        Group(("de", "en"), by_meaning=True),
        Group(("open",), by_meaning=True),
        Group(("w1", "w2")),
    ]


def test_a_vector_without_direction_or_of_another_size_joins_no_group() -> None:
    asked = [Asked(name, name) for name in "abc"]
    vectors = {"a": (1, 0), "b": (1, 0, 0), "c": (0, 0)}

    groups = groups_of(asked, vectors)

    assert groups == [
        Group(("a",), by_meaning=True),
        Group(("b",), by_meaning=True),
        Group(("c",)),
    ]


@each(
    ("settings", "least"),
    [
        ({"model": "amazon.titan-embed-text-v2:0"}, LEAST_COSINE),
        ({"model": "cohere.embed-multilingual-v3"}, LEAST_COSINE_OF_COHERE_V3),
        ({"model": "cohere.embed-v4:0"}, LEAST_COSINE),
        ({"model": "cohere.embed-v4:0", "least_alike": 0.9}, 0.9),
    ],
)
def test_how_alike_questions_must_be_is_the_setting_or_an_estimate_for_the_model(
    settings: dict[str, Any], least: float
) -> None:
    assert least_alike_of(EmbeddingSettings(provider="bedrock", **settings)) == least


def test_the_least_likeness_decides_whether_questions_come_together() -> None:
    asked = [Asked(name, name) for name in "ab"]
    vectors = {"a": (3, 4), "b": (4, 3)}  # cosine 0.96

    assert len(groups_of(asked, vectors, 0.95)) == 1
    assert len(groups_of(asked, vectors, 0.97)) == 2
