"""What the model asks, what completes a thread, and what is recorded about changed values."""

from __future__ import annotations

import json
from typing import Any

from tests.integration.email_threads import desk
from tests.simulation.email_threads.system import System

DAY_MS = 86_400_000


def test_open_questions_stand_in_the_draft_below_the_reply(system: System) -> None:
    desk.set_up(system, requirements_schema=desk.BUDGETED)
    desk.receive(system, "a@x")

    (draft,) = system.drafts()
    reply, _, questions = draft["body_text"].partition("\n\n")
    assert reply.startswith("Thank you")
    assert questions == "- What is your budget?"
    assert draft["questions"] == ["budget"]
    (question,) = desk.analysis(system)["pending_info"]
    assert question == {
        "field": "budget",
        "question": "What is your budget?",
        "blocking": True,
    }


def _ask(system: System, **more: Any) -> None:
    """A draft with a question was sent."""
    desk.set_up(system, requirements_schema=desk.BUDGETED, **more)
    desk.receive(system, "a@x")
    (draft,) = system.drafts()
    assert desk.approve(system, draft)[0] == 202


def test_a_question_that_was_sent_has_its_time_and_mail_and_the_thread_waits(
    system: System,
) -> None:
    _ask(system)

    thread = desk.thread(system)
    assert thread["status"] == "pending_info"
    (question,) = thread["ai_analysis"]["pending_info"]
    assert question["asked_n"] == 2
    assert question["asked_at"] == thread["email_history"][-1]["timestamp"]
    assert len(system.sent()) == 1


def test_a_question_that_was_sent_is_not_asked_again_within_seven_days(system: System) -> None:
    _ask(system)
    desk.receive(system, "b@x", "I will ask my wife.", in_reply_to="a@x")

    assert desk.thread(system)["status"] == "active"
    newest = next(one for one in system.drafts() if one["draft_status"] == "pending")
    assert "budget" not in newest["body_text"]
    assert newest.get("questions", []) == []


def test_a_question_that_was_sent_is_asked_again_after_seven_days(system: System) -> None:
    _ask(system)
    system.clock.ms += 7 * DAY_MS
    desk.receive(system, "b@x", "I will ask my wife.", in_reply_to="a@x")

    newest = next(one for one in system.drafts() if one["draft_status"] == "pending")
    assert newest["questions"] == ["budget"]


def test_an_answer_closes_the_question_and_completes_the_thread(system: System) -> None:
    _ask(system, auto_complete=True)
    desk.receive(system, "b@x", "It is 500 EUR.", in_reply_to="a@x")

    thread = desk.thread(system)
    (question,) = thread["ai_analysis"]["pending_info"]
    assert question["answered_n"] == 3
    assert thread["requirements"]["budget"] == "500 EUR"
    assert thread["status"] == "completed"
    assert thread["resolution_time"] > 0
    assert desk.changes(system)[-1] == ("analysis", "analyse", "mail 3: completed")


def test_a_complete_thread_stays_open_unless_the_mailbox_completes_threads(system: System) -> None:
    desk.receive(system, "a@x")

    assert desk.analysis(system)["is_complete"]
    assert desk.thread(system)["status"] == "active"
    assert desk.changes(system) == []


def test_a_thread_that_a_person_reopened_is_not_completed_again_by_a_repeat(
    system: System,
) -> None:
    desk.set_up(system, auto_complete=True)
    desk.receive(system, "a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}"
    assert system.call("PATCH", path, {"status": "active"})[0] == 200

    desk.analyse_again(system)

    assert desk.thread(system)["status"] == "active"
    assert [action for _, action, _ in desk.changes(system)] == ["analyse", "change"]


def test_a_thread_is_not_completed_by_the_analysis_of_an_earlier_mail(system: System) -> None:
    desk.set_up(system, auto_complete=True)
    desk.receive(system, "a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}"
    for change in ({"status": "active"}, *({"priority": "low"} for _ in range(5))):
        assert system.call("PATCH", path, change)[0] == 200
    desk.answers(system, "no JSON", "no JSON")
    desk.receive(system, "b@x", "Wait, we need other ones.", in_reply_to="a@x")

    assert desk.analysis(system)["state"] == "failed"
    assert desk.thread(system)["status"] == "active"


def test_a_changed_value_is_named_in_the_record_without_its_value(system: System) -> None:
    desk.receive(system, "a@x", "We want to order ten chairs for 500 EUR.")
    desk.receive(system, "b@x", "Make it 900 EUR.", in_reply_to="a@x")

    thread = desk.thread(system)
    assert thread["requirements"]["budget"] == "900 EUR"
    assert thread["requirements_version"] == 2
    assert thread["ai_analysis"]["changed"] == ["budget"]
    assert desk.changes(system) == [("analysis", "analyse", "mail 2: changed=budget")]
    assert json.loads(system.mails()[0]["analysis"]["answer"])["requirements"]["budget"] == (
        "500 EUR"
    )
