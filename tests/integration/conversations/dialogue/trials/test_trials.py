"""A version on trial: in shadow it answers without sending, in a share it answers new conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.retrieval import CorpusTooLarge, RetrieverUnavailable
from shared.ai.retrieval.local import LocalRetriever
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from tests.integration.conversations.dialogue.trials.shadow_trials import (
    FIRST,
    LIVE,
    OF_PROJECT,
    TRIED,
    asked,
    begin,
    is_answer,
    outcomes,
    pairs,
    project,
    says,
    shadow,
    version,
)
from tests.integration.conversations.steps import (
    DAY_MS,
    function_call,
    model_answer,
    start_conversation,
    status_of,
    texts_by,
    write,
)
from tests.simulation.conversations.erasure import erase, exported
from tests.simulation.crashes.disturbances import deaths_in

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def test_a_shadow_whose_model_fails_is_counted_and_not_asked_again(system: System) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE)
    refused = OpenAiAnswer(refused=(429, "insufficient_quota"))
    system.sandbox.openai.answers.append(refused)

    write(system)
    asked_once = asked(system)
    system.advance(DAY_MS)

    assert asked(system) == asked_once
    found = outcomes(system, trial_id)
    assert (found["begun"], found["failed"], found["trial"]["answers"]) == (1, 1, 0)
    assert pairs(system, trial_id)[0]["status"] == "failed"
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_shadow_whose_worker_died_before_the_result_was_stored_is_counted_with_its_cost_and_not_asked_again(
    system: System,
) -> None:
    _, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED)
    asked_before = len(asked(system))
    system.text("m", "When do I start?")

    runs: list[int] = []

    def fails_once(call: str) -> bool:
        """The first run that writes the result, in all attempts of the SDK: the shadow was asked by then."""
        is_result = call.startswith("dynamodb.TransactWriteItems")
        if not is_result or len(asked(system)) < asked_before + 2:
            return False
        runs.append(len(system.interceptor.first_of_runs))
        return runs[-1] == runs[0]

    system.interceptor.fails_if = fails_once
    system.drain()
    system.advance(DAY_MS)

    found, (pair,) = outcomes(system, trial_id), pairs(system, trial_id)
    assert (found["failed"], pair["reason"]) == (1, "interrupted")
    assert float(pair["dollars"]) > 0
    assert found["trial"]["dollars"] == pair["dollars"]
    assert len(asked(system)) == asked_before + 2


def test_a_trial_in_shadow_ends_at_its_number_of_answers(system: System) -> None:
    _, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    says(system, LIVE)

    write(system, "And on Monday?", "m-2")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["running"], found["ended_for"]) == (1, False, "most_answers")


def test_a_trial_in_shadow_ends_at_its_dollars(system: System) -> None:
    _, trial_id = shadow(system, most_answers=None, most_dollars=0.00001)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    says(system, LIVE)

    write(system, "And on Monday?", "m-2")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["ended_for"]) == (1, "most_dollars")


def test_a_shadow_costs_as_much_of_the_budget_as_its_calls_and_leaves_the_last_part_to_customers(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    system.change(policy=item.get("policy", {}) | {"dollars_per_day": 0.02, "warn_at_percent": 10})
    says(system, LIVE)

    write(system, "When do I start?")

    assert texts_by(system, ref)[-1] == "You start at nine."
    assert pairs(system, trial_id)[0]["reason"] == "token_cap"


def test_hand_offs_of_both_versions_are_counted_side_by_side(system: System) -> None:
    _, trial_id = shadow(system)
    says(system, LIVE, model_answer("", hand_off={"reason": "I do not know."}))

    write(system, "When do I start?")

    found = outcomes(system, trial_id)
    assert (found["live"]["handed_off"], found["trial"]["handed_off"]) == (0, 1)
    assert pairs(system, trial_id)[0]["handed_off_for"] == "ai"


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (RetrieverUnavailable("SlowDown"), "documents_unavailable"),
        (CorpusTooLarge(), "corpus_too_large"),
        (SecretUnreadable("openai"), "secrets_missing"),  # of a second model
        (Misconfigured("no_model"), "no_model"),
        (NotSent("no_token"), "no_token"),
    ],
)
def test_a_shadow_that_cannot_go_on_has_failed_with_its_cost_and_hands_nothing_off(
    system: System, monkeypatch: pytest.MonkeyPatch, failure: Exception, reason: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(LocalRetriever, "retrieve", fails)
    project(system, FIRST)
    start_conversation(system)
    number = version(system, "Say TRIED.", knowledge_config={"enabled": True})
    trial_id = begin(system, mode="shadow", version=number, most_answers=10)
    says(system, LIVE, function_call("search_documents", query="shift hours"))

    write(system, "When do I start?")

    found = outcomes(system, trial_id)
    assert (found["failed"], found["trial"]["answers"], found["trial"]["handed_off"]) == (1, 0, 0)
    assert float(found["trial"]["dollars"]) > 0
    (pair,) = pairs(system, trial_id)
    assert (pair["status"], pair["reason"], pair.get("handed_off_for")) == ("failed", reason, None)


def test_an_opt_out_by_a_version_in_shadow_is_counted_as_one_and_not_as_a_hand_off(
    system: System,
) -> None:
    _, trial_id = shadow(system)
    says(system, LIVE, function_call("opt_out"))

    write(system, "Bitte keine Nachrichten mehr")

    found = outcomes(system, trial_id)["trial"]
    assert (found["answers"], found["opted_out"], found["handed_off"]) == (1, 1, 0)
    assert pairs(system, trial_id)[0]["functions"] == ["opt_out"]


def test_a_person_who_is_erased_has_no_answer_of_a_trial_any_more(system: System) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")

    erase(system)

    assert pairs(system, trial_id) == []
    assert not [
        row for key, row in system.rows().items() if "SHADOW#" in key[2] or row.get("ref") == ref
    ]


def test_the_export_of_a_person_has_the_answer_in_shadow(system: System) -> None:
    shadow(system)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")

    lines, _ = exported(system)

    assert "At nine. See you then." in str(lines)


def test_another_live_version_ends_the_trial(system: System) -> None:
    _, trial_id = shadow(system)
    other = version(system, "Be formal.")
    line = "POST /projects/{project_id}/versions/{number}/live"
    system.call_admin_api(line, {}, number=str(other), **OF_PROJECT)

    assert outcomes(system, trial_id)["ended_for"] == "live_changed"


def test_a_project_without_a_trial_makes_the_calls_that_it_made_before(system: System) -> None:
    project(system, FIRST, LIVE)
    start_conversation(system)
    first = len(system.interceptor.calls)

    write(system, "When do I start?")

    calls = system.interceptor.calls[first:]
    assert calls
    assert not [call for call in calls if "TRIAL" in call or "PROJECT#" in call]


@pytest.mark.long
def test_a_worker_that_dies_at_any_call_sends_one_answer_and_asks_the_version_on_trial_at_most_once(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    says(system, *[LIVE] * 4)
    system.text("m", "When do I start?")
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()

    for death in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = death
        system.settle()
        assert len(texts_by(system, ref)) <= 2, death  # A send in doubt is not repeated.
        assert len([one for one in asked(system) if "Say TRIED." in one]) <= 1, death
        made = [row["status"] for key, row in system.rows().items() if is_answer(ref, key)]
        found = outcomes(system, trial_id)
        assert found["begun"] == len(made) <= 1, death
        assert found["failed"] + found["trial"]["answers"] == len(made), death
        assert "begun" not in made, death
