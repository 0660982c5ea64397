"""The targets of the decisions without a language model, on messages that were never used for training."""

from __future__ import annotations

from functools import cache

import pytest

from richpanel.classification import Classification, Language
from richpanel.classification.classifier import classify
from tests.messages.corpus import HELD_OUT, TRAINING, read
from tests.messages.measure import Report, measure

# Parts with labels of numbers, modifiers and languages: rules find them, nothing is trained.
WITH_FACTS = (
    "held",
    pytest.param("tuned", marks=pytest.mark.long),  # by far the largest part
    *(f"fresh{number}" for number in range(1, 6)),
)


@cache
def report(part: str) -> Report:
    return measure(read(part))


@cache
def answers(part: str) -> dict[str, Classification]:
    return {each.id: classify(each.message) for each in read(part)}


def normal(text: str) -> str:
    return text.casefold().strip(" .!?")


def test_no_held_out_message_is_in_the_training_parts() -> None:
    trained = {normal(each.message.text) for part in TRAINING for each in read(part)}

    assert [
        each.id for part in HELD_OUT for each in read(part) if normal(each.message.text) in trained
    ] == []


@pytest.mark.parametrize("part", HELD_OUT)
def test_at_most_one_automatic_reply_in_fifty_is_for_another_intent(part: str) -> None:
    found = report(part)

    assert len(found.wrong_replies) <= 0.02 * len(found.replies), found.wrong_replies
    assert len(found.replies) >= 0.3 * found.messages


@pytest.mark.parametrize("part", HELD_OUT)
def test_at_most_one_ordinary_message_in_fifty_is_tier_0(part: str) -> None:
    found = report(part)

    assert len(found.tier0_false) <= 0.02 * found.ordinary, found.tier0_false


@pytest.mark.parametrize(
    "part",
    [*HELD_OUT, *(pytest.param(part, marks=pytest.mark.long) for part in TRAINING[:-1])],
)
def test_no_tier_0_message_is_answered(part: str) -> None:
    assert report(part).tier0_answered == []


def test_clear_threats_chargebacks_fraud_and_legal_notices_are_tier_0() -> None:
    assert report("voices_held").tier0_missed == []
    assert report("voices").tier0_missed == []
    assert report("threats").tier0_missed == []


def test_ordinary_messages_in_other_languages_are_not_tier_0() -> None:
    assert report("threats").tier0_false == []


@pytest.mark.parametrize("part", HELD_OUT)
def test_most_messages_get_their_intent(part: str) -> None:
    assert report(part).right >= 0.85


@pytest.mark.parametrize("part", WITH_FACTS)
def test_english_spanish_and_other_languages_are_distinguished(part: str) -> None:
    """The labels name no other language than these two."""

    def label(language: Language) -> Language:
        return language if language in {Language.ENGLISH, Language.SPANISH} else Language.UNKNOWN

    messages = read(part)

    wrong = [
        each.id for each in messages if label(answers(part)[each.id].language) != each.language
    ]

    assert len(wrong) <= 0.01 * len(messages)


@pytest.mark.parametrize("part", WITH_FACTS)
def test_modifiers_that_forbid_a_reply_are_detected(part: str) -> None:
    missed = [
        (each.id, modifier)
        for each in read(part)
        for modifier in each.modifiers - answers(part)[each.id].modifiers
    ]

    assert missed == []


@pytest.mark.parametrize("part", WITH_FACTS)
def test_order_and_tracking_numbers_are_found(part: str) -> None:
    for each in read(part):
        answer = answers(part)[each.id]
        if each.order_numbers is not None:
            assert answer.order_numbers == each.order_numbers, each.id
        if each.tracking_numbers is not None:
            assert answer.tracking_numbers == each.tracking_numbers, each.id
