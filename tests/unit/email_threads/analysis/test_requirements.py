"""What of a model's answer becomes a requirement, and what is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.analysis.requirements import recently_asked
from email_threads.configuration.requirements_schema import RequirementsSchema
from email_threads.store.items import OpenQuestion
from shared.runtime import clock
from tests.cases import each
from tests.unit.email_threads.analysis.answers import NOW, mail, merged, raw_answer, thread

WEEK_MS = 7 * 24 * clock.HOUR_MS
TYPED = RequirementsSchema.model_validate(
    {
        "properties": {
            "count": {"type": "integer"},
            "price": {"type": "number"},
            "urgent": {"type": "boolean"},
            "items": {"type": "array"},
            "colour": {"type": "string", "enum": ["red", "blue"]},
        }
    }
)


def asked(field: str = "budget", at_ms: int | None = None, **more: Any) -> OpenQuestion:
    at = clock.to_text(at_ms) if at_ms is not None else None
    return OpenQuestion(field=field, question="How much?", asked_at=at, **more)


def test_a_value_whose_quote_stands_in_the_mail_is_a_requirement() -> None:
    answer = raw_answer({"budget": "500 EUR"}, evidence={"budget": (1, "at most 500 EUR")})

    found = merged(answer, mail(1, "We pay at most 500 EUR."))

    assert (found.requirements, found.unconfirmed) == ({"budget": "500 EUR"}, {})


def test_a_quote_may_stand_in_the_subject() -> None:
    answer = raw_answer({"title": "Chairs"}, evidence={"title": (1, "Chairs")})

    assert merged(answer, mail(1, "Hello.")).requirements == {"title": "Chairs"}


def test_line_breaks_and_blanks_of_a_quote_are_folded() -> None:
    answer = raw_answer({"deadline": "Friday"}, evidence={"deadline": (1, " until\nFriday  noon")})

    found = merged(answer, mail(1, "We need them until Friday\n noon."))

    assert found.requirements == {"deadline": "Friday"}


@pytest.mark.parametrize(
    "evidence",
    [
        {"budget": (1, "at most 900 EUR")},  # invented
        {"budget": (2, "at most 500 EUR")},  # of the other mail
        {"budget": (7, "at most 500 EUR")},  # of no mail
        {"budget": (1, " \n ")},
        {"title": (1, "at most 500 EUR")},  # of another field
        {},
    ],
)
def test_a_value_without_a_quote_that_stands_is_unconfirmed(
    evidence: dict[str, tuple[int, str]],
) -> None:
    answer = raw_answer({"budget": "500 EUR"}, evidence=evidence)

    found = merged(answer, mail(1, "We pay at most 500 EUR."), mail(2, "Any news?"))

    assert (found.requirements, found.unconfirmed) == ({}, {"budget": "500 EUR"})


def test_a_confirmed_value_is_not_among_the_unconfirmed_ones_later() -> None:
    answer = raw_answer({"budget": "500 EUR"})

    found = merged(answer, mail(9), about=thread({"budget": "500 EUR"}))

    assert (found.requirements, found.unconfirmed) == ({"budget": "500 EUR"}, {})


def test_an_unconfirmed_value_is_kept_behind_five_confirmed_ones() -> None:
    names = ("title", "description", "deadline", "budget", "contact_name")
    answer = raw_answer(
        dict.fromkeys(names, "Hello") | {"reference": "A-7"},
        evidence=dict.fromkeys(names, (1, "Hello")),
    )

    assert merged(answer, mail(1, "Hello.")).unconfirmed == {"reference": "A-7"}


@pytest.mark.parametrize("empty", ["", "  ", [], None])
def test_an_empty_value_never_erases_a_known_one(empty: object) -> None:
    answer = raw_answer({"budget": empty}, evidence={"budget": (1, "Hello")})

    found = merged(answer, about=thread({"budget": "500 EUR"}))

    assert (found.requirements, found.changed) == ({"budget": "500 EUR"}, ())


def test_a_known_field_with_another_value_is_named() -> None:
    answer = raw_answer(
        {"budget": "900 EUR", "deadline": "Friday", "title": "Chairs"},
        evidence=dict.fromkeys(("budget", "deadline", "title"), (1, "900 EUR, Friday")),
    )

    found = merged(
        answer,
        mail(1, "900 EUR, Friday"),
        about=thread({"budget": "500 EUR", "title": "Chairs"}),
    )

    assert found.requirements == {"budget": "900 EUR", "title": "Chairs", "deadline": "Friday"}
    assert found.changed == ("budget",)


@each(
    ("field", "wrong"),
    [
        ("count", "three"),
        ("count", 1.5),
        ("count", True),
        ("price", "10"),
        ("price", False),
        ("urgent", 1),
        ("items", "chairs"),
        ("items", [1]),
        ("colour", "green"),
        ("colour", 1),
        ("size", "large"),  # no field of the mailbox
    ],
)
def test_a_value_of_another_type_is_ignored(field: str, wrong: object) -> None:
    answer = raw_answer({field: wrong}, evidence={field: (1, "Hello")})

    found = merged(answer, fields=TYPED)

    assert (found.requirements, found.unconfirmed) == ({}, {})


def test_values_of_the_right_types_are_kept() -> None:
    values = {"count": 3, "price": 9.5, "urgent": False, "items": ["a"], "colour": "red"}
    answer = raw_answer(values, evidence=dict.fromkeys(values, (1, "Hello")))

    assert merged(answer, fields=TYPED).requirements == values


@pytest.mark.parametrize(
    ("field", "number"),
    [("count", 10**40), ("count", -(10**40)), ("price", 1e200), ("price", 1e-200)],
)
def test_a_number_that_the_table_cannot_hold_is_ignored(field: str, number: float) -> None:
    answer = raw_answer({field: number}, evidence={field: (1, "Hello")})

    assert merged(answer, fields=TYPED).requirements == {}


def test_a_number_with_too_many_digits_for_a_float_is_ignored() -> None:
    text = json.dumps(raw_answer({"price": 0}, evidence={"price": (1, "Hello")}))
    answer = json.loads(text.replace('"price": 0', '"price": 1e999'))

    assert merged(answer, fields=TYPED).requirements == {}


def test_a_long_text_is_cut() -> None:
    answer = raw_answer({"description": "x" * 900}, evidence={"description": (1, "Hello")})

    assert merged(answer).requirements == {"description": "x" * 500}


def test_a_list_keeps_twenty_elements_of_two_hundred_characters_without_blank_ones() -> None:
    given = [" ", *("x" * 300 for _ in range(3)), *(f"item {number}" for number in range(30))]
    answer = raw_answer({"items": given}, evidence={"items": (1, "Hello")})

    kept = merged(answer).requirements["items"]

    assert len(kept) == 20
    assert kept[:4] == ["x" * 200, "x" * 200, "x" * 200, "item 0"]


def test_all_requirements_together_stay_within_four_kilobytes() -> None:
    fields = RequirementsSchema.model_validate(
        {
            "properties": {
                **{f"text_{number}": {"type": "string"} for number in range(10)},
                **{f"list_{number}": {"type": "array"} for number in range(10)},
            }
        }
    )
    values = {
        name: "椅" * 500 if field.type == "string" else ["椅" * 200] * 20
        for name, field in fields.properties.items()
    }
    answer = raw_answer(values, evidence=dict.fromkeys(values, (1, "Hello")))

    kept = merged(answer, fields=fields).requirements

    assert len(json.dumps(kept, ensure_ascii=False).encode()) <= 4_096
    assert {name for name in kept if name.startswith("text_")} == {
        f"text_{number}" for number in range(10)
    }


def test_a_value_that_was_shortened_for_the_bound_is_not_changed_by_the_same_answer() -> None:
    fields = RequirementsSchema.model_validate(
        {"properties": {f"f{number}": {"type": "string"} for number in range(20)}}
    )
    values = dict.fromkeys(fields.properties, "x" * 500)
    answer = raw_answer(values, evidence=dict.fromkeys(values, (1, "Hello")))
    first = merged(answer, fields=fields)

    again = merged(answer, about=thread(first.requirements), fields=fields)

    assert (again.requirements, again.changed) == (first.requirements, ())


REQUIRED = {"title": "Chairs", "request_type": "order", "description": "Ten chairs"}
PROVED = dict.fromkeys(REQUIRED, (1, "Hello"))


def test_a_thread_with_all_required_fields_is_complete() -> None:
    assert merged(raw_answer(REQUIRED, evidence=PROVED)).is_complete


def test_a_thread_without_a_required_field_is_not_complete() -> None:
    answer = raw_answer({**REQUIRED, "title": None}, evidence=PROVED)

    assert not merged(answer).is_complete


def test_a_thread_whose_required_field_is_not_proved_is_not_complete() -> None:
    answer = raw_answer(REQUIRED, evidence={**PROVED, "title": (1, "Bye")})

    assert not merged(answer).is_complete


@pytest.mark.parametrize("is_blocking", [True, False])
def test_only_a_blocking_question_keeps_a_thread_open(is_blocking: bool) -> None:
    missing = (("budget", "How much?", is_blocking),)
    answer = raw_answer(REQUIRED, evidence=PROVED, missing=missing)

    assert merged(answer).is_complete is not is_blocking


def test_a_question_about_a_missing_field_is_asked() -> None:
    found = merged(raw_answer(missing=(("budget", "How much?", True),)))

    assert [(one.field, one.question, one.blocking) for one in found.to_ask] == [
        ("budget", "How much?", True)
    ]
    assert found.questions == found.to_ask


def test_a_question_about_a_known_or_an_unknown_field_is_not_asked() -> None:
    missing = (("budget", "How much?", True), ("size", "How large?", True))

    found = merged(raw_answer(missing=missing), about=thread({"budget": "500 EUR"}))

    assert (found.questions, found.to_ask) == ([], [])


@pytest.mark.parametrize(
    ("ago_ms", "is_asked"), [(0, False), (WEEK_MS - 1, False), (WEEK_MS, True)]
)
def test_a_question_is_asked_again_after_seven_days(ago_ms: int, is_asked: bool) -> None:
    answer = raw_answer(missing=(("budget", "How much money?", True),))

    found = merged(answer, about=thread(questions=[asked(at_ms=NOW - ago_ms, asked_n=2)]))

    assert [one.question for one in found.to_ask] == ["How much money?"] * is_asked
    assert [(one.question, one.asked_n) for one in found.questions] == [("How much?", 2)]


def test_the_model_is_told_which_fields_were_asked_within_seven_days() -> None:
    about = thread(
        questions=[
            asked("budget", NOW - 1),
            asked("deadline", NOW - WEEK_MS),
            asked("reference"),
        ]
    )

    assert recently_asked(about, NOW) == ["budget"]


def test_an_answer_closes_its_question_with_the_number_of_the_mail() -> None:
    answer = raw_answer({"budget": "500 EUR"}, evidence={"budget": (3, "500 EUR")})
    about = thread(questions=[asked("budget", NOW), asked("deadline", NOW)])

    found = merged(answer, mail(3, "500 EUR"), about=about)

    assert [(one.field, one.answered_n) for one in found.questions] == [
        ("deadline", None),
        ("budget", 3),
    ]


def test_a_question_that_was_answered_keeps_the_number_of_that_mail() -> None:
    about = thread({"budget": "500 EUR"}, [asked("budget", NOW - WEEK_MS, answered_n=3)])

    found = merged(raw_answer(), mail(5), about=about)

    assert [one.answered_n for one in found.questions] == [3]
    assert found.to_ask == []


def test_at_most_five_unconfirmed_values_are_kept() -> None:
    fields = RequirementsSchema.model_validate(
        {"properties": {f"f{number}": {"type": "string"} for number in range(7)}}
    )

    found = merged(raw_answer(dict.fromkeys(fields.properties, "x")), fields=fields)

    assert list(found.unconfirmed) == [f"f{number}" for number in range(5)]


def test_at_most_ten_questions_are_kept_and_answered_ones_go_first() -> None:
    fields = RequirementsSchema.model_validate(
        {"properties": {f"f{number:02}": {"type": "string"} for number in range(12)}}
    )
    missing = tuple((f"f{number:02}", "What?", True) for number in range(1, 12))
    about = thread({"f00": "known"}, [asked("f00", NOW, answered_n=1)])

    found = merged(raw_answer(missing=missing), about=about, fields=fields)

    assert [one.field for one in found.questions] == [f"f{number:02}" for number in range(1, 11)]


def test_a_question_is_asked_in_full() -> None:
    question = "What? " * 50

    (asked_now,) = merged(raw_answer(missing=(("budget", question, True),))).to_ask

    assert asked_now.question == question
