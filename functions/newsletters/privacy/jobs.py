"""Jobs that erase or export a user or an address: turns of `shared.privacy.engine` over its inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.privacy import bylines
from newsletters.privacy.inventory import Inventory
from newsletters.privacy.requests import jobs_of
from newsletters.store.objects import privacy_exports
from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import PrivacyRequested
    from newsletters.store.items import PrivacyJob

# Messages of the same batch wait for a turn.
TURN_MS: Final = 5 * clock.SECOND_MS


def work(resources: Resources, event: PrivacyRequested) -> bool:
    """Continue a job; False if it was done before. Raises Permanent (`no_privacy_job`) and Transient."""
    of_newsletters = Engine(
        jobs=jobs_of(resources),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=TURN_MS,
        settles_ms=lambda job: bylines.SETTLES_MS if job.by_address else 0,
    )
    return engine.work(of_newsletters, event.job_id) is not None


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory | bylines.Inventory:
    company, named = job.company_id, str(job.requested_for)
    if not job.by_address:
        return Inventory(resources, company, named)
    exports = privacy_exports(company, job.export_id or job.job_id)
    return bylines.Inventory(resources, company, named, exports, for_export=job.kind == "export")
