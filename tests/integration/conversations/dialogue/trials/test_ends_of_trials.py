"""What a version in shadow may use and hold up, and how a trial that a worker ends leaves the project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from conversations.dialogue import shadow_request
from conversations.lifecycle import trials
from conversations.lifecycle.conversation import load_project
from events.conversations import sample_data
from shared.ai.spending import usage
from shared.aws.sqs_fifo import digest
from tests.integration.conversations.dialogue.limits.test_spending import limit, spent
from tests.integration.conversations.dialogue.trials.shadow_trials import (
    FIRST,
    LIVE,
    TRIED,
    begin,
    outcomes,
    pairs,
    says,
    shadow,
)
from tests.integration.conversations.steps import (
    direct_resources,
    start_conversation,
    texts_by,
    write,
)
from tests.template import template

if TYPE_CHECKING:
    import pytest

    from tests.simulation.conversations.system import System


def test_an_answer_in_shadow_counts_for_the_limit_of_the_company_and_leaves_the_rest_to_customers(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    table = limit(system, 1_000_000_000)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    both = spent(system, table)
    usage.set_ceilings(table, sample_data.COMPANY, {"warn_percent": 1}, by="a person")
    limit(system, 60 * both)
    says(system, LIVE)

    system.text("m2", "And when do I end?")
    system.drain()

    first, second = sorted(pairs(system, trial_id), key=lambda one: str(one["customer_text"]))
    assert (first["customer_text"], first["reason"]) == ("And when do I end?", "spending_limit")
    assert second["status"] == "made"
    assert texts_by(system, ref)[1:] == ["You start at nine.", "You start at nine."]


def named(system: System) -> str | None:
    """The trial that the project names."""
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    return item.get("ai_trial")


def test_a_project_names_no_trial_any_more_once_a_worker_has_ended_it(system: System) -> None:
    ref, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED, LIVE)
    write(system, "When do I start?")
    assert named(system) == trial_id

    write(system, "And when do I end?", "m2")

    assert named(system) is None
    assert outcomes(system, trial_id)["ended_for"] == "most_answers"
    assert len(texts_by(system, ref)) == 3
    assert begin(system, mode="shadow", version=2, most_answers=2) == named(system)


def test_a_trial_whose_name_could_not_be_removed_is_put_away_by_the_next_answer(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED, LIVE, LIVE)
    write(system, "When do I start?")
    with monkeypatch.context() as patch:
        patch.setattr("conversations.lifecycle.trials.projects.key", _fails)
        write(system, "And when do I end?", "m2")
    assert named(system) == trial_id

    write(system, "And where?", "m3")

    assert named(system) is None
    assert len(texts_by(system, ref)) == 4


def _fails(*_: object) -> None:
    raise ClientError({"Error": {"Code": "ThrottlingException"}}, "UpdateItem")


def test_a_trial_that_begins_while_another_ends_is_not_put_away(system: System) -> None:
    _, trial_id = shadow(system, most_answers=1)
    company = load_project(direct_resources(system), sample_data.COMPANY, sample_data.PROJECT)
    assert company is not None
    other = company.model_copy(update={"ai_trial": "another"})

    trials.put_away(direct_resources(system).companies, other, "another")
    trials.put_away(direct_resources(system).companies, company, "another")

    assert named(system) == trial_id


def test_a_shadow_that_is_being_written_holds_up_neither_an_answer_nor_a_first_message(
    system: System,
) -> None:
    ref, _ = shadow(system)
    says(system, LIVE, LIVE, FIRST)
    system.text("m1", "When do I start?")
    system.run_intake()
    system.clock.ms += 10_000  # the customer writes no more
    system.run_replies()

    [held] = system.shadows_in_flight()

    assert (held.group, json.loads(held.body)["type"]) == (shadow_request.GROUP, "shadow")
    write(system, "And when do I end?", "m2")
    assert texts_by(system, ref)[1:] == ["You start at nine.", "You start at nine."]
    other = start_conversation(system, request_id="another")
    assert len(texts_by(system, other)) == 1


def test_a_channel_has_a_worker_beside_the_one_that_the_shadows_of_all_companies_take() -> None:
    assert template()["Parameters"]["ChannelMaxConcurrency"]["MinValue"] >= 2
    assert digest("shadow") == shadow_request.GROUP  # no part of it is a company
