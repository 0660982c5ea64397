"""
Erases or exports a person in the conversations of one company: a job of `shared.privacy.engine` that runs in the
process of its caller, an operator's or a turn of a request.

A job that is interrupted is continued by the next call for the same addresses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conversations.privacy.inventory import Inventory
from conversations.privacy.person import (
    all_addresses,
    conversations_of,
    every_spelling,
    is_since,
)
from conversations.privacy.remainders import REMAINDERS
from conversations.store import states
from conversations.store.items.parts.privacy_job import PrivacyJob
from shared.privacy import engine, jobs, requests
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from shared.aws.s3 import Bucket
    from shared.privacy.jobs import Kind

# The longest function timeout is 120 s; the rest covers clock skew.
SETTLES_MS: Final = 130 * clock.SECOND_MS
ROUNDS: Final = 3
STILL_WRITTEN: Final = "written_to_all_the_time"
TURN_MS: Final = 60 * clock.SECOND_MS
COUNTED: Final = (
    "addresses", "conversations", "messages", "files", "unmatched", "parked", "threads",
)  # fmt: skip
_LINES: Final = "conversations.jsonl"
_EXPORTS: Final = "exports/{company}/conversations/{job}/"


@dataclass(slots=True, kw_only=True)
class Erased:
    """Counts of erased data. *threads_left*: provider ids of copies that an operator has to delete at the provider."""

    addresses: int = 0
    conversations: int = 0
    messages: int = 0
    files: int = 0
    unmatched: int = 0
    parked: int = 0
    threads: int = 0
    threads_left: list[str] = field(default_factory=list)


def erase(deps: ErasureDependencies, company_id: str, known_addresses: Sequence[str]) -> Erased:
    """
    Erase the person with these normalised addresses from a company's data. Takes some minutes; idempotent.

    Raises Transient if new conversations or addresses keep appearing during the erasure.
    """
    job = run(deps, "erase", company_id, known_addresses, by="operations")
    erased = Erased(threads_left=job.threads_left)
    for name in COUNTED:
        setattr(erased, name, job.counts.get(name, 0))
    return erased


def run(
    deps: ErasureDependencies,
    kind: Kind,
    company_id: str,
    known_addresses: Sequence[str],
    *,
    by: str,
) -> PrivacyJob:
    """
    Start the job of the person with these normalised addresses, or continue it, and return it when it is done.

    Raises Transient if new conversations or addresses keep appearing during an erasure.
    """
    now = clock.to_text(clock.now_ms())
    job = _started(deps, kind, company_id, known_addresses, by=by, at=now)
    if job.rounds:
        jobs.replace(deps.log, job.changed(rounds=0))
    return engine.run(engine_of(deps), job.job_id)


def turn(
    deps: ErasureDependencies,
    kind: Kind,
    company_id: str,
    known_addresses: Sequence[str],
    *,
    by: str,
    at: str,
    turn_ms: int,
) -> PrivacyJob:
    """
    Start the job of the person with these normalised addresses, or continue it, for *turn_ms*, and return it.

    *at*: when it was requested. Raises Transient for every other reason than a wait of a known length; the next turn
    tries again.
    """
    job = _started(deps, kind, company_id, known_addresses, by=by, at=at)
    try:
        engine.work(engine_of(deps, turn_ms), job.job_id)
    except Transient as wait:
        if wait.reason == STILL_WRITTEN:
            stored = jobs.get(deps.log, PrivacyJob, job.job_id) or job
            jobs.replace(deps.log, stored.changed(rounds=0))
        if not wait.wait_ms:
            raise
    return jobs.get(deps.log, PrivacyJob, job.job_id) or job


def _started(
    deps: ErasureDependencies,
    kind: Kind,
    company_id: str,
    known_addresses: Sequence[str],
    *,
    by: str,
    at: str,
) -> PrivacyJob:
    """Store the job of a person, unless it goes on, and return it; it is in no queue."""
    given = every_spelling(known_addresses)
    job_id = PrivacyJob.id_of(kind, company_id, given)
    fresh = PrivacyJob(
        **PrivacyJob.key_of(job_id),
        company_id=company_id,
        job_id=job_id,
        kind=kind,
        requested_at=at,
        requested_by=by,
        given=given,
    )
    return requests.start(deps.log, fresh, lambda _: None)


def engine_of(deps: ErasureDependencies, turn_ms: int = TURN_MS) -> Engine[PrivacyJob]:
    """Return the engine of the jobs of conversations."""
    return Engine(
        item=PrivacyJob,
        table=deps.log,
        inventory=lambda job: _inventory(deps, job),
        folder=lambda job: folder_of(deps.bucket, job),
        enqueue=lambda _: None,
        remainders=REMAINDERS,
        turn_ms=turn_ms,
        settles_ms=SETTLES_MS,
        resolve=lambda job: job.changed(
            addresses=all_addresses(deps, job.company_id, job.given or [])
        ),
        grown=lambda job: _grown(deps, job),
    )


def folder_of(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    return ExportFolder(bucket, f"{exports_of(job.company_id, job.job_id)}{job.run}/", _LINES)


def exports_of(company_id: str, job_id: str) -> str:
    """Return the prefix of all exports of a job."""
    return _EXPORTS.format(company=company_id, job=job_id)


def _grown(deps: ErasureDependencies, job: PrivacyJob) -> PrivacyJob | None:
    """
    Return a job with the addresses that a worker has stored before it ended, or whose conversations are new since the
    fence; None if there are none. Raises Transient after ROUNDS.
    """
    known = job.addresses or []
    current = all_addresses(deps, job.company_id, job.given or [])
    merged = [*(address for address in known if address not in current), *current]
    refs = (ref for _, ref in conversations_of(deps, job.company_id, merged))
    if len(merged) == len(known) and all(
        states.is_erased(deps.log, ref) or is_since(deps, ref, job.requested_at) for ref in refs
    ):
        return None
    if job.rounds + 1 >= ROUNDS:
        raise Transient(STILL_WRITTEN)
    return job.changed(addresses=merged, rounds=job.rounds + 1)


def _inventory(deps: ErasureDependencies, job: PrivacyJob) -> Inventory:
    return Inventory(
        deps=deps,
        company_id=job.company_id,
        addresses=job.addresses or [],
        at=job.requested_at,
        exports=exports_of(
            job.company_id, PrivacyJob.id_of("export", job.company_id, job.given or [])
        ),
        for_export=job.kind == "export",
    )
