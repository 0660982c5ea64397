"""Jobs that erase or export a user: turns of `shared.privacy.engine` over the inventory of newsletters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.privacy.inventory import Inventory
from newsletters.privacy.remainders import REMAINDERS
from newsletters.privacy.requests import enqueue
from newsletters.store.items import PrivacyJob
from newsletters.store.objects import privacy_exports
from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock

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
    of_newsletters = Engine(
        item=PrivacyJob,
        table=store.table,
        inventory=lambda job: Inventory(
            resources=resources, company_id=job.company_id, user_id=str(job.requested_for)
        ),
        folder=lambda job: folder_of_export(store.bucket, job),
        enqueue=lambda job: enqueue(resources.steps, job),
        remainders=REMAINDERS,
        turn_ms=TURN_MS,
    )
    return engine.work(of_newsletters, event.job_id) is not None


def folder_of_export(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of the job's present run."""
    return ExportFolder(
        bucket, f"{privacy_exports(job.company_id, job.job_id)}{job.run:04d}/", LINES
    )
