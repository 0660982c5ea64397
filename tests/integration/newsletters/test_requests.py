"""Starting and cancelling jobs: idempotent by cause and by options, one job for each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsletters.jobs import requests
from newsletters.jobs.claimed_job import ClaimedJob
from newsletters.jobs.execution import execution
from newsletters.jobs.outcomes import complete
from newsletters.jobs.requests import Requested, StepProcessing
from newsletters.jobs.state import is_usable, is_working, job_state, step_state
from newsletters.store import jobs
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import JobState, StepStatus, Topics
from shared.aws.tables.leases import LeaseLost
from tests.integration.newsletters.deployment import USER, chunk, draft, topics

if TYPE_CHECKING:
    from newsletters.store.items import Job
    from tests.integration.newsletters.deployment import Deployment


def stored_job(newsletters: Deployment, code: str, name: str = "topics") -> Job:
    job = jobs.get(newsletters.table, code, name)
    assert job is not None
    return job


def step_of(newsletters: Deployment, code: str) -> Topics:
    step = newsletters.read(code).topics
    assert step is not None
    return step


def finish(newsletters: Deployment, job: Job, found: Topics | None = None) -> bool:
    """A worker does the job."""
    with execution(newsletters.store, newsletters.run()) as work:
        claimed = work.claim(job.code, job.name, job.job_id)
        newsletter = newsletters.read(job.code)
        result = found or topics(job.code)
        work.is_done = complete(newsletters.store, newsletter, claimed, result)
    return work.is_done


def export(newsletters: Deployment, code: str, cause: str = "export-1", name: str = "pdf") -> Job:
    requested = Requested(cause=cause, by=USER)
    return requests.start_export(newsletters.resources, newsletters.read(code), name, requested)


def test_a_start_makes_the_step_processing_and_queues_one_message(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()

    job = newsletters.start(code, accept_stale=True)

    step = step_of(newsletters, code)
    assert step.retrieval_status is StepStatus.PROCESSING
    assert (step.job_id, step.deadline_ms) == (job.job_id, newsletters.clock.ms + 20 * 60_000)
    assert step.retrieval_started_at == "2026-11-02T12:00:00Z"
    assert is_working(step)
    assert not is_usable(step)
    found = stored_job(newsletters, code)
    assert (found.state, found.options, found.requested_by) == (
        JobState.QUEUED,
        {"accept_stale": True},
        USER,
    )
    (message,) = newsletters.messages()
    assert (message["type"], message["code"], message["step"], message["job_id"]) == (
        "newsletter.step",
        code,
        "topics",
        job.job_id,
    )


def test_a_repeated_start_with_the_same_cause_finds_its_job_even_after_its_end(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    finish(newsletters, job)
    newsletters.messages()
    before = newsletters.items()

    again = newsletters.start(code, replace_edits=True)

    assert (again.job_id, again.state) == (job.job_id, JobState.DONE)
    assert newsletters.items() == before
    assert newsletters.messages() == []


def test_a_start_with_the_options_of_the_running_job_returns_it(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code, accept_stale=True)

    assert newsletters.start(code, cause="start-2", accept_stale=True).job_id == job.job_id


def test_a_start_with_other_options_is_refused_while_a_job_works_on_the_step(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    newsletters.start(code, accept_stale=True)
    before = newsletters.items()

    with pytest.raises(StepProcessing):
        newsletters.start(code, cause="start-2", accept_stale=False)

    assert newsletters.items() == before


def test_of_two_starts_at_the_same_time_both_get_the_first_ones_job(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    before = newsletters.read(code)
    first = requests.start_step(
        newsletters.resources, before, "topics", Requested(cause="start-1", by=USER)
    )

    second = requests.start_step(
        newsletters.resources, before, "topics", Requested(cause="start-2", by=USER)
    )

    assert stored_job(newsletters, code).job_id == first.job_id == second.job_id
    other = Requested(cause="start-3", by=USER, options={"accept_stale": True})
    with pytest.raises(StepProcessing):
        requests.start_step(newsletters.resources, before, "topics", other)


def test_a_start_after_a_change_by_a_person_is_refused_as_stale(newsletters: Deployment) -> None:
    code = newsletters.create()
    before = newsletters.read(code)
    newsletters.start(code)
    requests.cancel(newsletters.resources, newsletters.read(code), "topics")

    with pytest.raises(StaleVersion):
        requests.start_step(
            newsletters.resources, before, "topics", Requested(cause="start-2", by=USER)
        )


def test_after_its_end_a_step_starts_again_with_another_job(newsletters: Deployment) -> None:
    code = newsletters.create()
    first = newsletters.start(code)
    finish(newsletters, first)

    second = newsletters.start(code, cause="start-2")

    assert second.job_id != first.job_id
    assert stored_job(newsletters, code).state is JobState.QUEUED
    assert stored_job(newsletters, code).ended_at is None


def test_an_expired_job_does_not_keep_a_step_from_starting(newsletters: Deployment) -> None:
    code = newsletters.create()
    finish(newsletters, newsletters.start(code))
    newsletters.pass_minutes(31 * 24 * 60)  # DynamoDB deletes it up to two days later

    job = newsletters.start(code, cause="start-2")

    assert stored_job(newsletters, code).job_id == job.job_id


@pytest.mark.parametrize(
    ("has_content", "status"), [(True, StepStatus.COMPLETED), (False, StepStatus.PENDING)]
)
def test_a_cancelled_step_returns_to_its_last_content(
    newsletters: Deployment, has_content: bool, status: StepStatus
) -> None:
    code = newsletters.create()
    if has_content:
        newsletters.write(code, topics(code))
    newsletters.start(code)

    cancelled = requests.cancel(newsletters.resources, newsletters.read(code), "topics")

    assert cancelled is not None
    assert cancelled.state is JobState.CANCELLED
    step = step_of(newsletters, code)
    assert (step.retrieval_status, step.job_id, step.deadline_ms) == (status, None, None)
    assert bool(step.retrieved_content) is has_content
    assert stored_job(newsletters, code).state is JobState.CANCELLED
    assert jobs.due(newsletters.table, newsletters.clock.ms + 3_600_000, None) == ([], None)
    assert requests.cancel(newsletters.resources, newsletters.read(code), "topics") is None


def test_the_worker_of_a_cancelled_job_can_write_nothing_more(newsletters: Deployment) -> None:
    code = newsletters.create()
    newsletters.write(code, topics(code))
    job = newsletters.start(code)

    with execution(newsletters.store, newsletters.run()) as work:
        newsletter = newsletters.read(code)
        claimed = work.claim(code, "topics", job.job_id)
        claimed_job = ClaimedJob(newsletters.resources, newsletter, claimed, newsletters.run())
        claimed_job.begin(2, "searching")
        requests.cancel(newsletters.resources, newsletter, "topics")
        before = newsletters.items()
        with pytest.raises(LeaseLost):
            claimed_job.advance(1, "searching")
        assert not claimed_job.complete(topics(code, [chunk(2)]))
        assert newsletters.items() == before
        claimed_job.advance(2, "searching")

    assert work.job is not None
    assert not work.is_done
    assert stored_job(newsletters, code).state is JobState.CANCELLED
    assert step_of(newsletters, code).retrieved_content == [chunk()]


def test_a_job_that_was_replaced_can_write_nothing_more(newsletters: Deployment) -> None:
    code = newsletters.create()
    job = newsletters.start(code)
    until = newsletters.clock.ms + 300_000
    claimed = jobs.claim(newsletters.table, job, "worker-1", until, job.deadline_ms)
    newsletter = newsletters.read(code)
    requests.cancel(newsletters.resources, newsletter, "topics")
    second = newsletters.start(code, cause="start-2")

    with pytest.raises(LeaseLost):
        jobs.report(newsletters.table, claimed, doing="late")
    assert not complete(newsletters.store, newsletter, claimed, topics(code))
    assert not jobs.end(newsletters.table, claimed, JobState.FAILED)

    assert stored_job(newsletters, code).job_id == second.job_id
    assert step_of(newsletters, code).retrieval_status is StepStatus.PROCESSING


def test_past_its_deadline_a_job_reads_as_failed_and_the_step_may_start_again(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    newsletters.write(code, topics(code))
    first = newsletters.start(code)
    newsletters.pass_minutes(20.1)

    shown, of_job = step_state(step_of(newsletters, code)), job_state(first)
    assert (shown.status, shown.error_code) == ("failed", "timeout")
    assert shown.error
    assert (of_job.status, of_job.error_code) == ("failed", "timeout")
    assert is_usable(step_of(newsletters, code))

    second = newsletters.start(code, cause="start-2")

    assert second.job_id != first.job_id
    assert step_state(step_of(newsletters, code)).status == "processing"


def test_a_result_is_written_beside_a_title_that_was_changed_meanwhile(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    job = newsletters.start(code, "draft")

    with execution(newsletters.store, newsletters.run()) as work:
        claimed = work.claim(code, "draft", job.job_id)
        newsletter = newsletters.read(code)
        newsletters.table.update(
            {"PK": f"NEWSLETTER#{code}", "SK": "METADATA"}, put={"title": "Another", "version": 2}
        )
        work.is_done = complete(newsletters.store, newsletter, claimed, draft(code, "# New"))

    assert work.is_done

    found = newsletters.read(code)
    assert found.draft is not None
    assert (found.metadata.title, found.draft.generated_content) == ("Another", "# New")
    assert (found.metadata.status, found.metadata.current_step) == ("completed", 4)


def test_an_export_of_the_present_content_is_started_once(newsletters: Deployment) -> None:
    code = newsletters.complete()

    first = export(newsletters, code)
    second = export(newsletters, code, "export-2")
    other = export(newsletters, code, "export-1", "docx")

    assert second.job_id == first.job_id != other.job_id
    messages = newsletters.messages(newsletters.resources.exports)
    assert sorted(one["format"] for one in messages) == ["docx", "pdf"]
    newsletters.write(code, draft(code, "# Another text"))
    assert export(newsletters, code, "export-3").job_id != first.job_id


def test_of_two_exports_that_start_at_the_same_time_one_is_refused(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    first = export(newsletters, code)
    newsletters.write(code, draft(code, "# Another text"))
    before = newsletters.read(code)
    newer = export(newsletters, code, "export-2")
    assert newer.job_id != first.job_id
    late = requests._job(before, "export-pdf", "late", Requested(cause="export-3", by=USER))

    with pytest.raises(Exception, match="condition"):
        jobs.start(newsletters.table, late, first)

    assert stored_job(newsletters, code, "export-pdf").job_id == newer.job_id
