"""Open work: listed while it is due, sent again, and ended at its deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store import jobs
from newsletters.store.items import Job, JobState
from tests.integration.newsletters.executions import (
    done,
    execute_job,
    failing,
    look_after_all,
    step_of,
    stored_job,
)

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment


def test_only_open_work_is_listed_and_only_once_it_is_due(newsletters: Deployment) -> None:
    finished, queued = newsletters.create("call-1"), newsletters.create("call-2")
    execute_job(newsletters, newsletters.start(finished), done(newsletters, finished))
    newsletters.start(queued)

    assert jobs.due(newsletters.table, newsletters.clock.ms, None) == ([], None)
    newsletters.pass_minutes(1)
    found = newsletters.due_work()
    assert [one.code for one in found] == [queued]


def test_an_item_of_an_unknown_version_does_not_keep_other_open_work_waiting(
    newsletters: Deployment,
) -> None:
    unreadable, queued = newsletters.create("call-1"), newsletters.create("call-2")
    newsletters.table.update(
        Job.key(unreadable, newsletters.start(unreadable).name), put={"state": "of a later version"}
    )
    newsletters.start(queued)
    newsletters.pass_minutes(1)

    found = newsletters.due_work()

    assert [one.code for one in found] == [queued]


def test_a_lost_message_is_sent_again_with_the_next_turn(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    assert [one["turn"] for one in newsletters.messages()] == [0]  # and lost
    newsletters.pass_minutes(2)

    assert look_after_all(newsletters) == 1
    assert look_after_all(newsletters) == 0

    assert [(one["turn"], one["job_id"]) for one in newsletters.messages()] == [(1, job.job_id)]


def test_a_job_whose_worker_died_is_sent_again_after_its_lease(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    newsletters.messages()
    run = newsletters.run()
    jobs.claim(newsletters.table, job, run.owner, run.ends_at_ms, job.deadline_ms)
    newsletters.pass_minutes(4)
    assert look_after_all(newsletters) == 0

    newsletters.pass_minutes(2.1)
    assert look_after_all(newsletters) == 1

    assert [one["turn"] for one in newsletters.messages()] == [1]
    assert execute_job(newsletters, job, done(newsletters, code), owner="worker-2")


def test_a_job_past_its_deadline_fails_and_is_not_done_any_more(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    newsletters.messages()
    newsletters.pass_minutes(21)

    assert look_after_all(newsletters) == 1

    assert not execute_job(newsletters, job, failing(AssertionError("too late")))
    assert (stored_job(newsletters, code).state, stored_job(newsletters, code).error_code) == (
        JobState.FAILED,
        "timeout",
    )
    assert step_of(newsletters, code).error_code == "timeout"
    assert newsletters.messages() == []
    assert look_after_all(newsletters) == 0


def test_a_worker_that_receives_a_job_past_its_deadline_ends_it(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    newsletters.pass_minutes(21)

    assert execute_job(newsletters, job, failing(AssertionError("too late")))

    assert stored_job(newsletters, code).error_code == "timeout"
