"""Admins begin, read and stop trials of versions; wrong input is refused with field and rule."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.configuration import projects, versions
from conversations.store.versions import evaluations
from conversations.store.versions.trials import Trials
from shared.ai.evaluation.sets.items import StoredSet as EvaluationSet
from shared.ai.trials.items import EndCause
from shared.api.auth import Scope
from shared.aws.dynamodb import Table
from tests.integration.conversations.admin.projects.test_projects import (
    ADMIN,
    OF_PROJECT,
    PROMPTS,
    make,
    put_live,
    settings,
    stored,
)
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import COMPANY, NOW, PROJECT, THEIRS, Harness, caller

SHADOW: dict[str, Any] = {"mode": "shadow", "version": 2, "most_answers": 10}
ONE = "GET /projects/{project_id}/trials/{trial_id}"
SHARE: dict[str, Any] = {"mode": "share", "version": 2, "share": 10}


def begin(harness: Harness, given: dict[str, Any], **more: Any) -> Answer:
    who = more.pop("who", ADMIN)
    return harness.call(
        "POST /projects/{project_id}/trials", given, names=OF_PROJECT, who=who, **more
    )


def stop(harness: Harness, trial_id: str, **given: Any) -> Answer:
    names = OF_PROJECT | {"trial_id": trial_id}
    line = "POST /projects/{project_id}/trials/{trial_id}/stop"
    return harness.call(line, given, names=names, who=ADMIN)


def listed(harness: Harness) -> list[tuple[str, bool]]:
    line = "GET /projects/{project_id}/trials"
    found = harness.call(line, names=OF_PROJECT, who=ADMIN).result["trials"]
    return [(one["mode"], one["running"]) for one in found]


@pytest.fixture
def second(harness: Harness) -> Harness:
    """A project with a second version, which is not live."""
    make(harness, settings(**PROMPTS))
    return harness


def test_a_trial_is_begun_listed_and_stopped_and_the_project_names_it_meanwhile(
    second: Harness,
) -> None:
    begun = begin(second, SHADOW)

    assert (begun.status, begun.result["running"], begun.result["live_version"]) == (201, True, 1)
    assert stored(second)[versions.TRIAL] == begun.result["trial_id"]
    stopped = stop(second, begun.result["trial_id"])
    assert (stopped.result["ended_for"], stopped.result["ended_by"]) == (
        "stopped",
        ADMIN.principal,
    )
    assert versions.TRIAL not in stored(second)
    assert listed(second) == [("shadow", False)]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (SHARE | {"share": 0}, "share"),
        (SHARE | {"share": 101}, "share"),
        (SHARE | {"share": 12.5}, "share"),
        ({"mode": "share", "version": 2}, "share"),
        (SHARE | {"version": 1}, "version"),
        (SHARE | {"version": 99}, "version"),
        (SHARE | {"most_answers": 5}, "most_answers"),
        (SHARE | {"share": 100, "handed_off_points": 5}, "handed_off_points"),
        (SHARE | {"until": "2020-01-01T00:00:00Z"}, "until"),
        (SHARE | {"until": "2027-01-01T00:00:00Z"}, "until"),
        (SHADOW | {"share": 10}, "share"),
        ({"mode": "shadow", "version": 2}, "most_answers"),
        (SHADOW | {"most_dollars": 0}, "most_dollars"),
        (SHADOW | {"mode": "both"}, "mode"),
    ],
)
def test_wrong_input_is_refused_with_field_and_rule_and_begins_nothing(
    second: Harness, given: dict[str, Any], field: str
) -> None:
    refused = begin(second, given)

    assert refused.status in {400, 422}
    assert list(refused.problems) == [field]
    assert refused.problems[field]
    assert listed(second) == []


def test_a_project_without_ai_has_no_trial(second: Harness) -> None:
    table = second.resources.companies.table
    table.update(projects.key(COMPANY, PROJECT), drop=["ai_config"])

    assert "ai_config" in begin(second, SHADOW).problems["project_id"]


def test_a_second_trial_is_refused_while_one_runs_and_begins_after_it(second: Harness) -> None:
    first = begin(second, SHADOW).result["trial_id"]

    refused = begin(second, SHARE)

    assert (refused.status, refused.error) == (409, "state_conflict")
    stop(second, first)
    assert begin(second, SHARE | {"share": 11}).status == 201


def test_a_version_that_has_not_passed_a_gate_takes_no_share_but_may_answer_in_shadow(
    second: Harness,
) -> None:
    gate = EvaluationSet(name="gate", revision=1, scenarios=1, gate=True, by="x", at="x")
    evaluations.of_project(second.resources.log, COMPANY, PROJECT).put(gate, ["{}"])

    refused = begin(second, SHARE)

    assert (refused.status, "gate" in refused.body["error"]["message"]) == (409, True)
    assert begin(second, SHADOW).status == 201


def test_a_call_that_is_repeated_after_a_crash_begins_one_trial(
    second: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins = Table.transact

    def begins_and_dies(table: Table, *writes: Any) -> None:
        begins(table, *writes)
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(Table, "transact", begins_and_dies)
        assert begin(second, SHADOW, key="once-only").status == 500
    named = stored(second)[versions.TRIAL]

    again = begin(second, SHADOW, key="once-only")

    assert (again.status, again.result["trial_id"]) == (201, named)
    assert listed(second) == [("shadow", True)]


def test_a_write_that_meets_its_own_first_attempt_has_begun_the_trial(
    second: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    transact = Table.transact

    def twice(table: Table, *writes: Any) -> None:
        transact(table, *writes)
        transact(table, *writes)

    with monkeypatch.context() as patch:
        patch.setattr(Table, "transact", twice)
        begun = begin(second, SHADOW)

    assert (begun.status, begun.result["trial_id"]) == (201, stored(second)[versions.TRIAL])
    assert listed(second) == [("shadow", True)]


def test_of_two_trials_that_are_begun_at_once_one_runs_and_the_other_is_refused(
    second: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Answer] = []
    begins = Trials.begin

    def is_second(trials: Trials, *given: Any) -> Any:
        if not others:
            others.append(Answer(0, {}))
            others[0] = begin(second, SHARE)
        return begins(trials, *given)

    monkeypatch.setattr(Trials, "begin", is_second)

    late = begin(second, SHADOW)

    assert (others[0].status, late.status, late.error) == (201, 409, "state_conflict")
    assert stored(second)[versions.TRIAL] == others[0].result["trial_id"]
    assert listed(second) == [("share", True)]


def test_a_trial_that_the_project_does_not_name_is_not_running(second: Harness) -> None:
    trial_id = begin(second, SHADOW).result["trial_id"]
    table = second.resources.companies.table
    table.update(projects.key(COMPANY, PROJECT), drop=[versions.TRIAL])  # as of an older file

    found = second.call(ONE, names=OF_PROJECT | {"trial_id": trial_id}, who=ADMIN).result

    assert (found["running"], found["ended_for"]) == (False, EndCause.STOPPED)
    assert listed(second) == [("shadow", False)]


def test_a_trial_that_has_ended_by_a_rule_is_ended_when_it_is_read(second: Harness) -> None:
    trial_id = begin(second, SHADOW).result["trial_id"]
    make(second, settings(prompts={"initial": "A", "reply": "B"}))
    put_live(second, 3)
    names = OF_PROJECT | {"trial_id": trial_id}

    found = second.call(ONE, names=names, who=ADMIN).result

    assert (found["running"], found["ended_for"]) == (False, EndCause.LIVE_CHANGED)
    assert versions.TRIAL not in stored(second)


def test_a_trial_that_a_worker_has_ended_is_not_named_any_more_once_it_is_read(
    second: Harness,
) -> None:
    trial_id = begin(second, SHADOW).result["trial_id"]
    trials = Trials(second.resources.log, COMPANY, PROJECT)
    trials.end(trial_id, EndCause.ANSWERS, withdrawn=False)  # workers may only read projects

    found = second.call(ONE, names=OF_PROJECT | {"trial_id": trial_id}, who=ADMIN).result

    assert (found["running"], found["ended_for"]) == (False, EndCause.ANSWERS)
    assert versions.TRIAL not in stored(second)


def test_trials_need_the_role_that_sets_up_projects_and_their_texts_the_one_that_reads(
    second: Harness,
) -> None:
    trial_id = begin(second, SHADOW).result["trial_id"]
    names = OF_PROJECT | {"trial_id": trial_id}
    line = "GET /projects/{project_id}/trials/{trial_id}"

    assert begin(second, SHARE, who=caller(COMPANY, Scope.CONVERSATIONS_REPLY)).status == 403
    assert second.call(f"{line}/answers", names=names, who=ADMIN).status == 403
    both = caller(COMPANY, Scope.CONVERSATIONS_ADMIN, Scope.CONVERSATIONS_READ)
    assert second.call(f"{line}/answers", names=names, who=both).result == {"answers": []}
    assert second.call(line, names=names, who=THEIRS).status == 404


def test_an_unknown_trial_is_not_found_and_a_malformed_id_is_refused(second: Harness) -> None:
    assert stop(second, f"{NOW}-00000000").status == 404
    assert list(stop(second, "x").problems) == ["trial_id"]
