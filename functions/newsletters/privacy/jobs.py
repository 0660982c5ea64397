"""Jobs that erase or export a user or an address: turns of `shared.privacy.engine` over its inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.privacy import bylines
from newsletters.privacy.inventory import Inventory
from newsletters.privacy.remainders import of_job
from newsletters.privacy.requests import enqueue
from newsletters.store.items import PrivacyJob
from newsletters.store.objects import privacy_exports
from shared.privacy import engine
from shared.privacy import jobs as stored_jobs
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import PrivacyRequested
    from shared.aws.s3 import Bucket

# Messages of the same batch wait for a turn.
TURN_MS: Final = 5 * clock.SECOND_MS
LINES: Final = "newsletters.jsonl"


def work(resources: Resources, event: PrivacyRequested) -> bool:
    """Continue a job; False if it was done before. Raises Permanent (`no_privacy_job`) and Transient."""
    store = resources.store
    job = stored_jobs.get(store.table, PrivacyJob, event.job_id)
    if job is None:
        raise Permanent("no_privacy_job")
    of_newsletters = Engine(
        item=PrivacyJob,
        table=store.table,
        inventory=lambda job: _inventory(resources, job),
        folder=lambda job: folder_of_export(store.bucket, job),
        enqueue=lambda job: enqueue(resources.steps, job),
        remainders=of_job(job),
        turn_ms=TURN_MS,
        settles_ms=bylines.SETTLES_MS if job.by_address else 0,
    )
    return engine.work(of_newsletters, event.job_id) is not None


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory | bylines.Inventory:
    company, named = job.company_id, str(job.requested_for)
    if not job.by_address:
        return Inventory(resources=resources, company_id=company, user_id=named)
    exports = privacy_exports(company, job.export_id or job.job_id)
    return bylines.Inventory(
        resources=resources,
        company_id=company,
        address=named,
        exports=exports,
        for_export=job.kind == "export",
    )


def folder_of_export(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of the job's present run."""
    return ExportFolder(
        bucket, f"{privacy_exports(job.company_id, job.job_id)}{job.run:04d}/", LINES
    )
