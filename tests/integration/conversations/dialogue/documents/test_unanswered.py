"""A question that the model does not answer is noted once, where its outcome is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conversations.dialogue.documents.documents import (
    SEARCH,
    documents,
    put,
    start,
)
from tests.integration.conversations.steps import (
    model_answer,
    status_of,
    with_model,
    write,
)
from tests.simulation.conversations.system import System

if TYPE_CHECKING:
    from shared.ai.retrieval.documents import Documents

__all__ = ["documents"]
ASKS = model_answer("Which shift do you mean?")


def noted(system: System) -> list[dict[str, Any]]:
    """The items of unanswered questions."""
    return [row for row in system.rows().values() if row.get("item_type") == "UNANSWERED"]


def causes(system: System) -> list[str]:
    return [str(row["cause"]) for row in noted(system)]


def test_a_question_after_a_search_without_a_passage_is_noted_though_the_model_only_asked(
    system: System, documents: Documents
) -> None:
    ref = start(system, SEARCH, ASKS)

    write(system)

    [row] = noted(system)
    assert (row["cause"], row["ref"]) == ("no_passage", ref)
    assert status_of(system, ref)[0] == "reply_sent"
    assert not any("night" in str(value).lower() for value in row.values())


def test_an_answer_from_a_passage_leaves_nothing_unanswered(
    system: System, documents: Documents
) -> None:
    put(documents, "night", "The night shift begins at ten.", "Shifts")
    start(system, SEARCH, model_answer("The night shift begins at ten [1]."))

    write(system)

    assert noted(system) == []


def test_a_hand_off_for_a_missing_source_is_noted_as_such(
    system: System, documents: Documents
) -> None:
    put(documents, "night", "The night shift begins at ten.", "Shifts")
    ref = start(system, SEARCH, *[model_answer("It begins at ten.")] * 2)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert causes(system) == ["source_missing"]


@pytest.mark.parametrize("content", ["", "A colleague will answer that."])
def test_a_hand_off_of_the_model_is_noted_with_and_without_a_message(
    system: System, content: str
) -> None:
    hand_off = {"reason": "cannot know the parking"}
    with_model(system, model_answer("Hello Ann!"), model_answer(content, hand_off=hand_off))
    ref = system.begin("sms")

    write(system)

    assert status_of(system, ref)[0] == "handoff_pending"
    assert causes(system) == ["ai"]
    assert not any("parking" in str(value) for value in noted(system)[0].values())


def test_a_customer_who_asks_for_a_person_leaves_no_question_unanswered(system: System) -> None:
    answer = model_answer("I can do that.", asks_for_person=True)
    with_model(system, model_answer("Hello Ann!"), answer)
    ref = system.begin("sms")

    system.text("a", "I want to talk to a human")
    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "asked_for_person")
    assert noted(system) == []


def test_an_answered_question_is_not_noted(system: System) -> None:
    with_model(system, model_answer("Hello Ann!"), model_answer("Yes, in May."))
    system.begin("sms")

    write(system)

    assert noted(system) == []
