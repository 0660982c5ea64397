"""A version on trial that answers a share of the new conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items.parts.project_version import ProjectVersion
from conversations.store.lists.inbox_heads import ConversationHeads
from conversations.store.versions.trials import Trials
from events.conversations import sample_data
from shared.ai.trials.items import Arm, count_name
from shared.inbox.tallies import Tally
from tests.integration.conversations.dialogue.trials.shadow_trials import (
    FIRST,
    LIVE,
    OF_PROJECT,
    TRIAL,
    TRIALS,
    asked,
    begin,
    outcomes,
    project,
    says,
    version,
)
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    direct_resources,
    start_conversation,
    write,
)
from tests.simulation.conversations.invocations import Refused

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def share(system: System, percent: int = 100, **given: Any) -> str:
    return begin(system, mode="share", version=project(system), share=percent, **given)


def conversation(system: System, number: int = 1, **recipient: Any) -> str:
    """A new conversation with its first message by the model."""
    says(system, FIRST)
    return start_conversation(system, request_id=f"req-{number}", **recipient)


def state(system: System, ref: str) -> dict[str, Any]:
    return system.state(ref)


def versions_of(system: System, ref: str) -> list[int]:
    return [int(row["ai_version"]) for row in system.log(ref) if row["author"] == "ai"]


def count(system: System, trial_id: str, ref: str, **more: int) -> None:
    """Outcomes, as the feed of the inbox counts them."""
    log = direct_resources(system).log
    trials = Trials(log, sample_data.COMPANY, sample_data.PROJECT)
    log.update(trials.counts_of(trial_id, ref), add=more)


def stop(system: System, trial_id: str, **given: Any) -> dict[str, Any]:
    line = f"POST {TRIAL}/stop"
    found = system.call_admin_api(line, given, trial_id=trial_id, **OF_PROJECT)
    system.new_process()
    return found


def test_a_conversation_in_the_share_is_answered_by_the_version_and_names_it(
    system: System,
) -> None:
    trial_id = share(system)

    ref = conversation(system)
    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [2, 2]
    assert system.conversation(ref)["ai_version"] == 2
    assert "Say TRIED." in asked(system)[-1]
    found = outcomes(system, trial_id)
    assert (found["trial"]["conversations"], found["live"]["conversations"]) == (1, 0)


def test_a_conversation_outside_the_share_is_answered_by_the_live_version_and_compared(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial_id = share(system, 1)
    monkeypatch.setattr("conversations.dialogue.trial_version._arm_of", lambda *_: Arm.LIVE)

    ref = conversation(system)

    assert versions_of(system, ref) == [1]
    found = outcomes(system, trial_id)
    assert (found["trial"]["conversations"], found["live"]["conversations"]) == (0, 1)


def test_all_conversations_of_a_person_get_the_same_version_and_people_are_divided(
    system: System,
) -> None:
    trial_id = share(system, 50)

    people = [f"+4479460000{number:02}" for number in range(10)]
    first = [conversation(system, n, recipient_tel=tel) for n, tel in enumerate(people)]
    again = [conversation(system, 100 + n, recipient_tel=tel) for n, tel in enumerate(people)]

    versions = [versions_of(system, ref) for ref in first]
    assert [versions_of(system, ref) for ref in again] == versions
    assert {tuple(one) for one in versions} == {(1,), (2,)}
    found = outcomes(system, trial_id)
    assert found["trial"]["conversations"] + found["live"]["conversations"] == 20


def test_a_conversation_that_began_before_the_trial_stays_with_the_live_version(
    system: System,
) -> None:
    number = project(system)
    ref = conversation(system)
    system.clock.ms += HOUR_MS
    begin(system, mode="share", version=number, share=100)

    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [1, 1]
    assert "trial" not in state(system, ref)


def test_a_conversation_keeps_its_version_after_the_trial_and_new_ones_have_the_live_one(
    system: System,
) -> None:
    trial_id = share(system)
    ref = conversation(system)

    stopped = stop(system, trial_id)
    says(system, LIVE)
    write(system)
    other = conversation(system, 2, recipient_tel="+447946000001")

    assert (stopped["running"], stopped["ended_for"], stopped["withdrawn"]) == (
        False,
        "stopped",
        False,
    )
    assert versions_of(system, ref) == [2, 2]
    assert versions_of(system, other) == [1]


def test_a_version_that_is_withdrawn_answers_no_conversation_any_more(system: System) -> None:
    trial_id = share(system)
    ref = conversation(system)

    assert stop(system, trial_id, withdraw=True)["withdrawn"]
    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [2, 1]


def test_a_version_can_be_withdrawn_after_its_trial_has_ended(system: System) -> None:
    trial_id = share(system)
    ref = conversation(system)
    stop(system, trial_id)

    stop(system, trial_id, withdraw=True)
    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [2, 1]


def test_a_version_that_hands_off_too_often_is_withdrawn_at_the_next_turn(system: System) -> None:
    trial_id = share(system, 99, handed_off_points=10, at_least=10)
    ref = conversation(system)
    assert versions_of(system, ref) == [2]
    count(system, trial_id, ref, live_conversations=10, live_handed_off=2)
    count(system, trial_id, ref, trial_conversations=9, trial_handed_off=4)

    says(system, LIVE)
    write(system)

    found = outcomes(system, trial_id)
    assert (found["ended_for"], found["withdrawn"]) == ("handed_off", True)
    assert versions_of(system, ref)[-1] == 1


def test_a_version_goes_on_while_its_hand_offs_are_within_the_rule(system: System) -> None:
    trial_id = share(system, 99, handed_off_points=10, at_least=10)
    ref = conversation(system)
    assert versions_of(system, ref) == [2]
    count(system, trial_id, ref, live_conversations=10, live_handed_off=2)
    count(system, trial_id, ref, trial_conversations=9, trial_handed_off=3)

    says(system, LIVE)
    write(system)

    assert outcomes(system, trial_id)["running"]
    assert versions_of(system, ref)[-1] == 2


def test_a_share_ends_at_its_number_of_conversations(system: System) -> None:
    trial_id = share(system, most_conversations=1)
    first = conversation(system)

    second = conversation(system, 2, recipient_tel="+447946000001")

    assert outcomes(system, trial_id)["ended_for"] == "most_conversations"
    assert (versions_of(system, first), versions_of(system, second)) == ([2], [1])


def test_a_trial_ends_at_its_time(system: System) -> None:
    trial_id = share(system, until="2026-01-02T00:00:00Z")

    system.advance(DAY_MS)
    ref = conversation(system)

    assert outcomes(system, trial_id)["ended_for"] == "until"
    assert versions_of(system, ref) == [1]


def test_the_inbox_counts_outcomes_of_a_joined_conversation_for_its_arm(system: System) -> None:
    trial_id = share(system)
    ref = conversation(system)
    resources = direct_resources(system)

    head = ConversationHeads(resources.table, resources.log).read(ref)

    trials = Trials(resources.log, sample_data.COMPANY, sample_data.PROJECT)
    where = trials.counts_of(trial_id, ref)
    assert head is not None
    assert head.tally == Tally(resources.log.name, where["pk"], where["sk"], "trial")
    assert count_name(Arm.TRIAL, "handed_off") == "trial_handed_off"


def test_a_second_trial_is_refused_while_one_runs(system: System) -> None:
    share(system, 10)
    other = version(system, "Be formal.")
    body = {"mode": "share", "version": other, "share": 5}

    with pytest.raises(Refused) as refusal:
        system.call_admin_api(TRIALS, body, **OF_PROJECT)

    assert "version: another trial is running" in str(refusal.value.args)


def test_a_version_that_becomes_live_ends_its_trial(system: System) -> None:
    trial_id = share(system)
    ref = conversation(system)
    line = "POST /projects/{project_id}/versions/{number}/live"
    system.call_admin_api(line, {}, number="2", **OF_PROJECT)
    system.new_process()

    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [2, 2]
    assert outcomes(system, trial_id)["ended_for"] == "live_changed"


def test_a_version_that_cannot_be_used_is_replaced_by_the_live_one(system: System) -> None:
    share(system)
    ref = conversation(system)
    where = ProjectVersion.key_of(sample_data.COMPANY, sample_data.PROJECT, 2)
    broken = {"settings": {"timezone": "Nowhere/Else"}}
    direct_resources(system).log.update(where, put=broken)
    system.new_process()

    says(system, LIVE)
    write(system)

    assert versions_of(system, ref) == [2, 1]
