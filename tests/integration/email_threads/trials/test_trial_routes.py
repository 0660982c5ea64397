"""Trials of a mailbox over the API: begun, listed, stopped, refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.trials.mailbox_trials import (
    TRIALS,
    begin,
    mailbox,
    outcomes,
    read,
    stop,
    version,
)
from tests.simulation.crashes.disturbances import deaths_in
from tests.simulation.email_threads.system import MAILBOX, System
from tests.simulation.interceptor import Died

LEASE_MS = 30_000  # of a call that was cut off
SHADOW = {"mode": "shadow", "most_answers": 5}


def listed(system: System) -> list[tuple[str, bool]]:
    found = result(system.call("GET", TRIALS))["trials"]
    return [(one["trial_id"], one["running"]) for one in found]


def test_a_trial_is_begun_listed_and_stopped_and_the_mailbox_names_it_meanwhile(
    system: System,
) -> None:
    first = begin(system)
    assert mailbox(system)["ai_trial"] == first
    stopped = stop(system, first)
    system.clock.ms += 1_000
    second = begin(system)

    assert (stopped["running"], stopped["ended_for"], stopped["ended_by"]) == (
        False,
        "stopped",
        "key-1",
    )
    assert listed(system) == [(second, True), (first, False)]
    page = result(system.call("GET", TRIALS, query={"limit": "1"}))
    assert [one["trial_id"] for one in page["trials"]] == [second]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"mode": "shadow", "version": 2}, "most_answers"),
        ({"mode": "share", "version": 2}, "share"),
        ({"mode": "share", "version": 2, "share": 5, "most_answers": 1}, "most_answers"),
        (SHADOW | {"version": 1}, "version"),
        (SHADOW | {"version": 9}, "version"),
        (SHADOW | {"version": 2, "until": "2020-01-01T00:00:00Z"}, "until"),
    ],
)
def test_wrong_input_is_refused_with_field_and_rule_and_begins_nothing(
    system: System, given: dict[str, Any], field: str
) -> None:
    version(system)

    status, body = system.call("POST", TRIALS, given)

    assert status in {400, 422}
    assert [one["field"] for one in body["error"]["details"]] == [field]
    assert listed(system) == []


def test_a_mailbox_whose_model_drafts_nothing_has_no_trial(system: System) -> None:
    path = f"/email-mailboxes/{MAILBOX}/trials"

    status, body = system.call("POST", path, SHADOW | {"version": 1})

    assert (status, body["error"]["details"][0]["field"]) == (400, "address")


def test_a_second_trial_is_refused_while_one_runs(system: System) -> None:
    begin(system)

    answer = system.call("POST", TRIALS, SHADOW | {"version": 2})

    assert refused(answer)[0] == 409


@pytest.mark.long
def test_a_call_that_is_repeated_after_a_crash_begins_one_trial(system: System) -> None:
    number = version(system)
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()

    def call() -> dict[str, Any]:
        given = SHADOW | {"version": number}
        return result(system.call("POST", TRIALS, given, key="begin-trial-1"))

    call()
    for death in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = death
        try:
            call()
        except Died:
            system.interceptor.rewind()
            system.clock.ms += LEASE_MS
        again = call()
        assert listed(system) == [(again["trial_id"], True)], death


def test_trials_need_the_role_that_sets_up_mailboxes_and_their_texts_the_one_that_reads(
    system: System,
) -> None:
    trial_id = begin(system)
    read(system)

    for method, path, scopes in [
        ("GET", TRIALS, "email_threads:read email_threads:write"),
        ("GET", f"{TRIALS}/{trial_id}", "email_threads:read"),
        ("POST", f"{TRIALS}/{trial_id}/stop", "email_threads:read email_threads:approve"),
        ("GET", f"{TRIALS}/{trial_id}/drafts", "email_threads:admin"),
    ]:
        assert system.call(method, path, {} if method == "POST" else None, scopes=scopes)[0] == 403
    assert outcomes(system, trial_id)["running"]


def test_another_company_and_an_unknown_id_find_no_trial(system: System) -> None:
    trial_id = begin(system)

    assert system.call("GET", f"{TRIALS}/{trial_id}", company="beta")[0] == 404
    assert system.call("GET", f"{TRIALS}/0000000000000-00000000")[0] == 404
    assert system.call("GET", f"{TRIALS}/other")[0] == 400
    desk.receive(system, "a@x")
    assert outcomes(system, trial_id)["begun"] == 1
