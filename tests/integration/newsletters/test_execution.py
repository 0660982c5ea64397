"""Workers on jobs: leases, units, failures, and the schedule that looks after open work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsletters.jobs import requests
from newsletters.jobs.claimed_job import ClaimedJob, OutOfTime, Written
from newsletters.jobs.failures import SENTENCES, StepFailed
from newsletters.jobs.outcomes import complete
from newsletters.jobs.requests import Requested
from newsletters.store import jobs
from newsletters.store.bucket import revisions
from newsletters.store.content.newsletters import delete_newsletter
from newsletters.store.items import FinishedUnit, Job, JobState, NewsletterStatus, StepStatus
from shared.ai import port as ai
from shared.runtime.failures import Permanent, Transient
from tests.integration.newsletters.deployment import USER, chunk, many_chunks, topics
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


def test_a_job_completes_once_with_its_content(newsletters: Deployment) -> None:
    code = newsletters.create()
    newsletters.write(code, topics(code))
    job = newsletters.start(code)

    assert execute_job(newsletters, job, done(newsletters, code))
    assert not execute_job(newsletters, job, failing(AssertionError("called twice")))

    step = step_of(newsletters, code)
    assert step.retrieved_content == [chunk(2)]
    assert (step.retrieval_status, step.job_id, step.version) == (StepStatus.COMPLETED, None, 2)
    found = stored_job(newsletters, code)
    assert (found.state, found.doing, found.attempts) == (JobState.DONE, "done", 1)
    assert found.ended_at == "2026-11-02T12:00:00Z"
    assert newsletters.read(code).metadata.current_step == 2


def test_replaced_content_is_kept_as_one_of_the_newest_twenty_revisions(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    for number in range(23):
        job = newsletters.start(code, cause=f"start-{number}")
        found = topics(code, [chunk(number)])
        assert execute_job(
            newsletters,
            job,
            lambda one, found=found: complete(  # type: ignore[misc] # mypy cannot infer a lambda's default
                newsletters.store, newsletters.read(code), one, found
            ),
        )

    kept = revisions.of_step(newsletters.table, code, "topics")

    assert [one.version for one in kept] == list(range(22, 2, -1))
    assert len(newsletters.objects()) == 20
    back = revisions.restored(newsletters.store, code, step_of(newsletters, code), kept[-1])
    assert back.retrieved_content == [chunk(2)]
    assert back.version == 23


def test_a_second_worker_of_the_same_job_is_ignored(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    def act(claimed: Job) -> bool:
        assert not execute_job(
            newsletters, job, failing(AssertionError("two workers")), owner="worker-2"
        )
        return done(newsletters, code)(claimed)

    assert execute_job(newsletters, job, act)

    assert step_of(newsletters, code).version == 1


def test_a_worker_takes_over_a_job_whose_lease_has_expired_and_fences_the_first_one(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    def act(claimed: Job) -> bool:
        newsletters.pass_minutes(6)
        assert execute_job(newsletters, job, done(newsletters, code), owner="worker-2")
        before = newsletters.items()
        assert not done(newsletters, code)(claimed)
        assert newsletters.items() == before
        return False

    assert not execute_job(newsletters, job, act)

    assert stored_job(newsletters, code).attempts == 2
    assert step_of(newsletters, code).version == 1


@pytest.mark.parametrize(
    ("failure", "code_of_failure"),
    [
        (StepFailed("no_results"), "no_results"),
        (Permanent("corpus_too_large"), "corpus_too_large"),
        (Permanent("some other reason"), "internal_error"),
    ],
)
def test_a_failure_that_no_retry_can_pass_ends_the_job_and_keeps_the_content(
    newsletters: Deployment, failure: Exception, code_of_failure: str
) -> None:
    code = newsletters.create()
    newsletters.write(code, topics(code))
    job = newsletters.start(code)

    assert execute_job(newsletters, job, failing(failure))

    step = step_of(newsletters, code)
    assert step.retrieved_content == [chunk()]
    assert (step.retrieval_status, step.job_id, step.version) == (StepStatus.FAILED, None, 1)
    assert (step.error_code, step.retrieval_error) == (code_of_failure, SENTENCES[code_of_failure])
    found = stored_job(newsletters, code)
    assert (found.state, found.error_code) == (JobState.FAILED, code_of_failure)
    assert jobs.due(newsletters.table, newsletters.clock.ms + 3_600_000, None) == ([], None)
    newsletters.start(code, cause="start-2")
    assert step_of(newsletters, code).error_code is None


@pytest.mark.parametrize(
    "failure",
    [Transient("ai_unavailable"), Transient("throttled"), RuntimeError("a bug")],
    ids=repr,
)
def test_a_failure_that_a_retry_may_pass_frees_the_job_at_once(
    newsletters: Deployment, failure: Exception
) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    with pytest.raises(type(failure)):
        execute_job(newsletters, job, failing(failure))

    assert stored_job(newsletters, code).is_open
    assert execute_job(newsletters, job, done(newsletters, code), owner="worker-2")
    assert stored_job(newsletters, code).state is JobState.DONE


@pytest.mark.parametrize(
    ("failure", "code_of_failure", "is_raised"),
    [
        (Transient("ai_unavailable"), "ai_unavailable", False),
        (Transient("throttled"), "internal_error", False),
        (RuntimeError("a bug"), "internal_error", True),
    ],
)
def test_the_last_attempt_ends_the_job_with_the_code_of_its_failure(
    newsletters: Deployment, failure: Exception, code_of_failure: str, is_raised: bool
) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    if is_raised:  # so that the event is parked or becomes a dead letter
        with pytest.raises(type(failure)):
            execute_job(newsletters, job, failing(failure), is_last=True)
    else:
        assert execute_job(newsletters, job, failing(failure), is_last=True)

    assert stored_job(newsletters, code).state is JobState.FAILED
    step = step_of(newsletters, code)
    assert (step.retrieval_status, step.error_code) == (StepStatus.FAILED, code_of_failure)


def test_a_job_ends_although_an_object_of_its_newsletter_is_lost(newsletters: Deployment) -> None:
    code = newsletters.create()
    newsletters.write(code, many_chunks(code))
    job = newsletters.start(code)
    ((key, _),) = newsletters.objects().items()
    newsletters.store.bucket.delete(key)
    newsletters.pass_minutes(21)

    assert look_after_all(newsletters) == 1

    assert stored_job(newsletters, code).error_code == "timeout"
    assert job.job_id == stored_job(newsletters, code).job_id
    item = newsletters.item(f"NEWSLETTER#{code}", "TOPICS")
    assert item["retrieval_status"] == {"S": "failed"}
    assert item["spilled"]["M"]


def test_a_unit_is_done_once_and_used_again_after_a_crash(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    done_units: list[int] = []

    def unit(number: int) -> Written:
        done_units.append(number)
        return Written(f"result {number}", ai.Usage(tokens_in=10, tokens_out=number), 1)

    def act(claimed: Job, *, until: int) -> bool:
        work = ClaimedJob(newsletters.resources, newsletters.read(code), claimed, newsletters.run())
        work.begin(3, "writing")
        results = [
            work.run_unit(number, "inputs", f"unit {number}", lambda number=number: unit(number))  # type: ignore[misc] # mypy cannot infer a lambda's default
            for number in range(until)
        ]
        if until < 3:
            raise RuntimeError
        assert results == ["result 0", "result 1", "result 2"]
        return work.complete(topics(code))

    with pytest.raises(RuntimeError):
        execute_job(newsletters, job, lambda one: act(one, until=2))
    found = stored_job(newsletters, code)
    assert (found.units, found.units_done, found.doing) == (3, 2, "unit 1")

    assert execute_job(newsletters, job, lambda one: act(one, until=3), owner="worker-2")

    assert done_units == [0, 1, 2]
    found = stored_job(newsletters, code)
    assert (found.units_done, found.tokens_in, found.tokens_out) == (3, 30, 3)


def test_of_two_results_of_the_same_unit_the_first_counts(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    first, second = (
        FinishedUnit(**FinishedUnit.key(code, job.job_id, "000"), result=result, ttl=2_000_000_000)
        for result in ("first", "second")
    )

    assert jobs.put_unit(newsletters.table, first).result == "first"
    assert jobs.put_unit(newsletters.table, second).result == "first"


def test_with_too_little_time_no_unit_begins(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    def act(claimed: Job) -> bool:
        run = newsletters.run()
        newsletters.pass_minutes(2)
        work = ClaimedJob(newsletters.resources, newsletters.read(code), claimed, run)
        work.begin(1, "writing")
        with pytest.raises(OutOfTime):
            work.run_unit(0, "inputs", "unit 0", lambda: Written("never", ai.Usage(), None))
        return False

    assert not execute_job(newsletters, job, act)


def test_an_export_that_fails_leaves_the_draft_as_it_is(newsletters: Deployment) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    requested = Requested(cause="export-1", by=USER)
    job = requests.start_export(newsletters.resources, before, "pdf", requested)

    assert execute_job(newsletters, job, failing(StepFailed("internal_error")))

    assert stored_job(newsletters, code, "export-pdf").error_code == "internal_error"
    assert newsletters.read(code) == before
    assert before.metadata.status is NewsletterStatus.COMPLETED


def test_the_job_of_a_deleted_newsletter_ends_without_bringing_it_back(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    job = newsletters.start(code)

    def act(claimed: Job) -> bool:
        newsletter = newsletters.read(code)
        delete_newsletter(newsletters.store, newsletter.metadata)
        return complete(newsletters.store, newsletter, claimed, topics(code))

    assert not execute_job(newsletters, job, act)

    assert not [key for key in newsletters.items() if key[0].startswith("NEWSLETTER#")]
    newsletters.pass_minutes(21)
    assert look_after_all(newsletters) == 2  # the job and the deletion
    assert stored_job(newsletters, code).state is JobState.FAILED
