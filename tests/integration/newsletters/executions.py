"""Runs of jobs with work of the tests, and what they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.jobs import watch
from newsletters.jobs.execution import execution
from newsletters.jobs.outcomes import complete
from newsletters.store import jobs
from newsletters.store.items import Job, Topics
from tests.integration.newsletters.deployment import chunk, topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.newsletters.deployment import Deployment


def execute_job(
    newsletters: Deployment,
    job: Job,
    act: Callable[[Job], bool],
    *,
    owner: str = "worker-1",
    is_last: bool = False,
) -> bool:
    with execution(newsletters.store, newsletters.run(owner, is_last=is_last)) as work:
        work.is_done = act(work.claim(job.code, job.name, job.job_id))
    return work.is_done


def done(newsletters: Deployment, code: str) -> Callable[[Job], bool]:
    return lambda job: complete(
        newsletters.store, newsletters.read(code), job, topics(code, [chunk(2)])
    )


def failing(failure: Exception) -> Callable[[Job], bool]:
    def act(_: Job) -> bool:
        raise failure

    return act


def look_after_all(newsletters: Deployment) -> int:
    """The schedule runs; return the amount of open work that was due."""
    found = newsletters.due_work()
    for one in found:
        watch.look_after(newsletters.resources, one)
    return len(found)


def stored_job(newsletters: Deployment, code: str, name: str = "topics") -> Job:
    job = jobs.get(newsletters.table, code, name)
    assert job is not None
    return job


def step_of(newsletters: Deployment, code: str) -> Topics:
    step = newsletters.read(code).topics
    assert step is not None
    return step
