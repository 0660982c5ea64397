"""A version of a mailbox's settings in shadow drafts beside the live one, and people are offered nothing of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.spending import usage
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.trials.mailbox_trials import (
    FACTS,
    LIVE,
    TRIED,
    begin,
    mailbox,
    outcomes,
    pairs,
    prompts,
    read,
    stop,
    version,
)
from tests.simulation.crashes.disturbances import deaths_in
from tests.simulation.email_threads.people import finished
from tests.simulation.email_threads.system import ANN, ASSISTED, BOB, COMPANY, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System


def arms(system: System, trial_id: str, *kinds: str) -> list[tuple[Any, ...]]:
    """Counts of the live version, and of the one on trial."""
    found = outcomes(system, trial_id)
    return [tuple(found[arm].get(kind) for kind in kinds) for arm in ("live", "trial")]


def test_a_version_in_shadow_drafts_beside_the_live_one_and_people_see_the_live_draft_alone(
    system: System,
) -> None:
    trial_id = begin(system)

    read(system)

    (draft,) = system.drafts()
    assert draft["body_text"] == "The live answer is ready."
    thread = draft["conversation_id"].partition("#")[0]
    opened = system.call("GET", f"/email-threads/{thread}", query={"drafts": "1", "mails": "20"})
    waiting = system.call("GET", "/email-drafts")
    assert "tried answer" not in json.dumps([opened, waiting])
    assert system.sent() == []
    (pair,) = pairs(system, trial_id)
    assert (pair["live_text"], pair["text"]) == (
        "The live answer is ready.",
        "The tried answer is ready.",
    )
    assert (pair["customer_text"], pair["status"], pair["live_status"]) == (
        desk.ORDER,
        "made",
        "pending",
    )
    assert arms(system, trial_id, "answers", "handed_off") == [(1, 0), (1, 0)]


def test_the_shadow_reads_what_the_live_version_has_read_with_its_own_facts(system: System) -> None:
    proof = [{"field": "budget", "n": 1, "quote": "500 EUR"}]
    begin(system)
    live = desk.answer("Fine.", requirements={"budget": "500 EUR"}, evidence=proof)
    desk.answers(system, live, TRIED)

    desk.receive(system, "a@x", "Ten chairs for 500 EUR, please.")

    first, second = (json.loads(one["input"][-1]["content"]) for one in prompts(system))
    assert desk.thread(system)["requirements"] == {"budget": "500 EUR"}
    assert (first["facts"], second["facts"]) == ([], FACTS)
    assert {**first, "facts": []} == {**second, "facts": []}


def test_the_live_draft_is_stored_before_the_version_in_shadow_is_asked(system: System) -> None:
    begin(system)
    desk.answers(system, LIVE, TRIED)
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a@x", address=ASSISTED)
    system.drain(is_over=lambda: bool(system.drafts()))

    assert desk.asked(system) == 1


def test_the_words_that_a_person_changes_are_compared_with_both_drafts(system: System) -> None:
    trial_id = begin(system)
    read(system)
    (draft,) = system.drafts()
    thread = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}"
    text = "The tried answer is here."
    result(system.call("PATCH", path, {"version": 1, "body_text": text}))

    desk.approve(system, {**draft, "version": 2})

    counted = arms(system, trial_id, "sent", "corrected", "edits", "words")
    assert counted == [(1, 1, 2, 5), (1, 1, 1, 5)]
    (pair,) = pairs(system, trial_id)
    assert (pair["live_text"], pair["live_status"]) == ("The live answer is ready.", "sent")


def test_an_answer_without_a_person_counts_for_the_live_version_alone(system: System) -> None:
    result(system.call("PUT", f"/email-mailboxes/{ASSISTED}", {"reply_mode": "auto"}))
    trial_id = begin(system)

    read(system)

    assert len(system.sent()) == 1
    assert arms(system, trial_id, "sent", "edits") == [(1, 0), (0, 0)]


def test_a_rejected_draft_counts_as_discarded_until_it_is_restored(system: System) -> None:
    trial_id = begin(system)
    read(system)
    (draft,) = system.drafts()
    thread = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}"

    for _ in range(2):
        result(system.call("POST", f"{path}/reject", {"version": 1, "reason": "wrong"}))
    assert arms(system, trial_id, "discarded") == [(1,), (None,)]
    result(system.call("POST", f"{path}/restore", {"version": 1}))
    assert arms(system, trial_id, "discarded") == [(0,), (None,)]


def test_hand_offs_of_both_versions_are_counted_side_by_side(system: System) -> None:
    trial_id = begin(system)
    to_people = desk.answer(None, needs_human=True, reason="a decision")

    read(system, "a@x", live=LIVE, tried=to_people)
    read(system, "b@x", live=to_people, tried=TRIED)

    assert arms(system, trial_id, "answers", "handed_off") == [(2, 1), (2, 1)]
    newest, oldest = pairs(system, trial_id)
    assert (oldest.get("text"), oldest["needs_human"], oldest["live_handed_off"]) == (
        None,
        True,
        False,
    )
    assert (newest.get("live_text"), newest["live_handed_off"]) == (None, True)


def test_a_version_in_shadow_that_hands_off_too_often_ends_its_trial(system: System) -> None:
    trial_id = begin(system, handed_off_points=10, at_least=1)

    read(system, tried=desk.answer(None, needs_human=True))
    read(system, "b@x")

    found = outcomes(system, trial_id)
    assert (found["running"], found["ended_for"]) == (False, "handed_off")
    assert "ai_trial" not in mailbox(system)
    assert found["trial"]["answers"] == 1


@pytest.mark.parametrize(
    ("bound", "cause"),
    [({"most_answers": 1}, "most_answers"), ({"most_dollars": 0.01}, "most_dollars")],
)
def test_a_trial_in_shadow_ends_at_its_bounds(
    system: System, bound: dict[str, Any], cause: str
) -> None:
    trial_id = begin(system, **({"most_answers": None} | bound))

    read(system, "a@x")
    desk.answers(system, LIVE)
    desk.receive(system, "b@x", subject="b")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["ended_for"], found["trial"]["answers"]) == (1, cause, 1)
    assert desk.asked(system) == 3


def test_another_live_version_ends_the_trial_and_a_change_of_other_settings_does_not(
    system: System,
) -> None:
    path = f"/email-mailboxes/{ASSISTED}"
    result(system.call("PUT", path, {"undo_seconds": 5}))
    trial_id = begin(system)
    result(system.call("PUT", path, {"undo_seconds": 6}))
    assert outcomes(system, trial_id).get("ended_for") is None

    number = version(system, facts=["We are open."])
    result(system.call("POST", f"{path}/versions/{number}/live", {}))

    found = outcomes(system, trial_id)
    assert (found["running"], found["ended_for"]) == (False, "live_changed")


def test_a_shadow_whose_model_fails_is_counted_and_not_asked_again(system: System) -> None:
    trial_id = begin(system)
    desk.answers(system, LIVE)
    system.sandbox.openai.answers.append(OpenAiAnswer(refused=(400, "invalid_request")))

    desk.receive(system, "a@x")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["failed"], found["trial"]["answers"]) == (1, 1, 0)
    (pair,) = pairs(system, trial_id)
    assert (pair["status"], pair.get("text")) == ("failed", None)
    assert len(system.drafts()) == 1


def test_a_shadow_costs_as_much_of_the_company_s_limit_as_its_call_and_leaves_the_rest_to_mails(
    system: System,
) -> None:
    spending = system.worker.resources.spending.table
    limit = {"day_micros": 1_000_000, "warn_percent": 1}
    usage.set_ceilings(spending, COMPANY, limit, by="a person")
    trial_id = begin(system)
    desk.answers(system, LIVE)

    desk.receive(system, "a@x")

    (pair,) = pairs(system, trial_id)
    assert (pair["status"], pair["reason"], desk.asked(system)) == ("failed", "spending_limit", 1)
    assert len(system.drafts()) == 1


def test_a_mail_that_is_read_again_is_drafted_in_shadow_once(system: System) -> None:
    trial_id = begin(system)
    read(system)

    desk.analyse_again(system)

    assert desk.asked(system) == 2
    assert outcomes(system, trial_id)["begun"] == 1


def test_a_person_who_refuses_models_gets_no_draft_in_shadow(system: System) -> None:
    begin(system)
    desk.answers(system, LIVE)
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a@x", address=ASSISTED)
    system.drain(is_over=lambda: bool(system.drafts()))
    thread = desk.thread(system)["conversation_id"]
    result(system.call("PATCH", f"/email-threads/{thread}", {"gdpr_consent": False}))

    system.drain()

    assert desk.asked(system) == 1


def test_the_draft_in_shadow_moves_and_goes_with_its_mail(system: System) -> None:
    trial_id = begin(system)
    read(system)
    (stored,) = system.mails()
    assert stored["shadow"]["text"] == "The tried answer is ready."

    finished(system, "erase", ANN)

    assert pairs(system, trial_id) == []
    assert "tried answer" not in json.dumps(system.rows(), default=str)


def test_a_mailbox_without_a_trial_makes_the_calls_that_it_made_before(system: System) -> None:
    desk.answers(system, LIVE)

    desk.receive(system, "a@x")

    assert not [key for key in system.rows() if key.startswith(("trial", "shadow"))]
    assert desk.asked(system) == 1


def test_a_stopped_trial_drafts_nothing_more(system: System) -> None:
    trial_id = begin(system)
    stop(system, trial_id)
    desk.answers(system, LIVE)

    desk.receive(system, "a@x", sender=BOB)

    assert desk.asked(system) == 1
    assert outcomes(system, trial_id)["ended_for"] == "stopped"


@pytest.mark.long
def test_a_worker_that_dies_at_any_call_asks_the_version_on_trial_at_most_once(
    system: System,
) -> None:
    trial_id = begin(system)
    desk.answers(system, *[LIVE] * 4)
    system.clock.ms += 1_000
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a@x", address=ASSISTED)
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.drain()

    for death in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = death
        system.drain()
        assert len(system.drafts()) == 1, death
        facts = [json.loads(one["input"][-1]["content"])["facts"] for one in prompts(system)]
        assert facts.count(FACTS) <= 1, death
        made = [one["shadow"]["status"] for one in system.mails() if "shadow" in one]
        found = outcomes(system, trial_id)
        assert found["begun"] == len(made) <= 1, death
        assert found["failed"] + found["trial"]["answers"] == len(made), death
        assert "begun" not in made, death
