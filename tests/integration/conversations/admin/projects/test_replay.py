"""A version of the settings answers in a real conversation again, without the person, and nothing is sent or stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.api.auth import Scope
from tests.integration.conversations.admin.projects import test_playground
from tests.integration.conversations.admin.projects.test_playground import Scripted
from tests.integration.conversations.admin.projects.test_projects import ADMIN, BOOK, make, settings
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    SECOND_COMPANY,
    Harness,
    caller,
)
from tests.integration.conversations.steps import function_call, model_answer

if TYPE_CHECKING:
    from conversations.store.items.log import Message

model = test_playground.model  # a fixture
LINE = "POST /conversations/{ref}/playground"


def replay(harness: Harness, ref: str, at: Message, who: Any = ADMIN, **given: Any) -> Answer:
    harness.left_ms = 29_000
    body = {"message": f"{at.message_timestamp}~{at.entry_id}"} | given
    return harness.call(LINE, body, ref=ref, who=who)


def begun(harness: Harness) -> tuple[str, list[Message]]:
    """A conversation, and its messages."""
    ref = harness.begin()
    said = [
        harness.says(ref, "Hello Ann, may we help you?", "ai"),
        harness.says(ref, "Yes. Call me on +44 7700 900123 or write to ann.d@example.com, Ann Doe"),
        harness.says(ref, "Thank you, Ann. Anything else?", "ai", answers={"When?": "Of Ann Doe"}),
        harness.says(ref, "When do you open?"),
        harness.says(ref, "At 8, Ann.", "ai", ai_version=1),
        harness.says(ref, "Good bye"),
    ]
    return ref, said


def test_a_version_answers_a_message_of_a_real_conversation_again(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)
    make(harness, settings(prompts={"reply": "Offer tea."}))
    model.answers = [model_answer("Tea?")]

    shown = replay(harness, ref, said[3], version=2).result

    assert (shown["content"], shown["version"]) == ("Tea?", 2)
    assert "Offer tea." in shown["model_calls"][0]["system"]
    assert [one["by"] for one in shown["messages"]] == ["company", "customer"] * 2
    assert shown["messages"][-1]["text"] == "When do you open?"
    assert "sent" not in shown


def test_before_a_message_of_the_company_the_dialogue_ends_and_what_was_sent_is_shown_beside(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)
    model.answers = [model_answer("At nine.")]

    shown = replay(harness, ref, said[4]).result

    assert shown["messages"][-1]["text"] == "When do you open?"
    assert (shown["content"], shown["sent"]) == ("At nine.", "At 8, ***.")


def test_no_name_number_or_address_of_the_person_reaches_the_model_or_the_answer(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)
    model.answers = [model_answer("At nine.")]

    answered = replay(harness, ref, said[4])

    [asked] = model.asked
    for text in [*asked.texts, str(answered.body)]:
        for private in ("Ann", "Doe", "900123", "ann.d@", harness.item(ref).primary_channel):
            assert private not in text
    assert "***-***-0123" in answered.result["messages"][1]["text"]


def test_files_and_what_they_are_called_are_not_shown(harness: Harness, model: Scripted) -> None:
    ref = harness.begin()
    file = {"mime_type": "image/png", "name": "Doe.png", "key": "x.png"}
    at = harness.says(ref, "Look", media=[file])
    model.answers = [model_answer("Please describe it.")]

    shown = replay(
        harness, ref, at, settings=settings(scripted_config={"sms": {"reads": ["image"]}})
    ).result

    assert model.asked[0].file_tokens == 0
    assert "image: ***.png" in shown["messages"][0]["text"]


def test_the_model_knows_the_facts_and_answers_of_that_time(
    harness: Harness, model: Scripted
) -> None:
    project_data = {"jobRole": "Nurse", "contact": {"name": "Eve Long"}}
    ref = harness.begin(project_data=project_data, recorded_answers={"Later?": "Recorded later"})
    harness.says(ref, "On Monday", answers={})
    harness.says(ref, "Noted.", "ai", answers={"Start": "Monday"})
    at = harness.says(ref, "What is it again?")
    harness.says(ref, "And this is later")
    model.answers = [model_answer("A nurse.")]

    replay(harness, ref, at)

    [asked] = model.asked
    assert all(fact in asked.system for fact in ("Nurse", "Monday", "2026-01-01"))
    assert "Eve" not in asked.system
    assert "Recorded later" not in asked.system
    assert "And this is later" not in str(asked.history)


def test_functions_are_answered_by_the_call(harness: Harness, model: Scripted) -> None:
    ref, said = begun(harness)
    model.answers = [function_call("book"), model_answer("It is booked.")]

    shown = replay(
        harness, ref, said[3], settings=settings(functions=[BOOK]), functions={"book": {"ok": True}}
    ).result

    assert [(one["name"], one["simulated"]) for one in shown["calls"]] == [("book", True)]
    assert "version" not in shown


def test_a_replay_stores_and_sends_nothing_but_the_count_of_tokens(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)
    before = harness.rows()
    model.answers = [model_answer("At nine.")]

    replay(harness, ref, said[4])

    after = harness.rows()
    log = after.pop("ConversationLogTable")
    old = before.pop("ConversationLogTable")
    assert after == before
    assert [pk.partition("#")[0] for pk, _ in log.keys() - old.keys()] == ["TOKENS"]
    assert {key: row for key, row in log.items() if key in old} == old
    assert harness.sqs.put == []


def test_only_admins_of_the_company_replay_a_conversation(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)
    others = {
        caller(COMPANY, Scope.CONVERSATIONS_READ, Scope.CONVERSATIONS_REPLY): 403,
        caller(COMPANY, Scope.CONVERSATIONS_ADMIN, projects=OTHER_PROJECT): 403,
        caller(SECOND_COMPANY, Scope.CONVERSATIONS_ADMIN): 404,
    }

    for who, status in others.items():
        assert replay(harness, ref, said[3], who).status == status
    assert model.asked == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"message": "first"}, "must be the message_timestamp"),
        ({"message": f"2026-01-01T12:00:00.000Z~{'0' * 36}"}, "must name a message"),
    ],
)
def test_a_message_that_the_conversation_does_not_have_is_refused(
    harness: Harness, model: Scripted, given: dict[str, Any], problem: str
) -> None:
    ref, said = begun(harness)

    refused = replay(harness, ref, said[0], **given)

    assert refused.status == 400
    [detail] = refused.body["error"]["details"]
    assert detail["field"] == "message"
    assert problem in detail["problem"]
    assert model.asked == []


def test_a_message_before_which_the_customer_has_not_written_is_refused(
    harness: Harness, model: Scripted
) -> None:
    ref, said = begun(harness)

    refused = replay(harness, ref, said[0])

    assert refused.status == 400
    assert "must follow a message of the customer" in str(refused.body)
    assert model.asked == []
