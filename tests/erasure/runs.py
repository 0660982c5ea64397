"""Runs a job that erases or exports a person to its end, in the process of a test."""

from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.privacy.jobs import Job
from shared.runtime import clock
from shared.runtime.failures import Transient


def run[J: Job](of: Engine[J], job_id: str) -> J:
    """Work on a job through all its waits; the clock of the test lets them pass."""
    while True:
        try:
            engine.work(of, job_id)
        except Transient as wait:
            if not wait.wait_ms:
                raise
            clock.sleep_ms(wait.wait_ms)
        job = of.jobs.get(job_id)
        assert job is not None
        if job.is_done:
            return job
