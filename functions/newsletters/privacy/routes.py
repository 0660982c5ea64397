"""Routes of the jobs that erase or export a user: a request is accepted at once, its job shows the progress."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from pydantic import Field

from newsletters.api.access import NotFound
from newsletters.configuration.resources import Resources
from newsletters.privacy import requests
from newsletters.privacy.remainders import REMAINDERS
from newsletters.store import privacy_jobs
from newsletters.store.items import PrivacyJob
from newsletters.store.items.privacy import PrivacyKind
from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.privacy import remainders
from shared.privacy.views import ExportView, PrivacyJobView

_JOB_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


class UserInput(Input):
    """A user of the company, by the id that newsletters have as `user_id`."""

    user_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")]


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes over the resources of the API."""

    resources: Resources

    @route_methods.changes(
        "POST /newsletters/users/erase", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Delete all newsletters of a user, and the user's name from the reviews of others."""
        return lambda: self._start(request, "erase")

    @route_methods.changes(
        "POST /newsletters/users/export", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Export all newsletters of a user, with their files."""
        return lambda: self._start(request, "export")

    @route_methods.reads("GET /newsletters/privacy-jobs/{job_id}", Scope.NEWSLETTERS_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = (
            privacy_jobs.get(self.resources.store.table, job_id)
            if _JOB_ID.fullmatch(job_id)
            else None
        )
        if job is None or job.company_id != request.caller.company:
            raise NotFound("job_id: job not found")
        return self._view(job)

    def _start(self, request: Request[UserInput], kind: PrivacyKind) -> PrivacyJobView:
        job = requests.start(
            self.resources.store.table,
            self.resources.steps,
            company_id=request.caller.company,
            kind=kind,
            user_id=request.input.user_id,
            by=request.caller.principal,
        )
        return self._view(job)

    def _export(self, job: PrivacyJob) -> ExportView | None:
        from newsletters.privacy import jobs  # noqa: PLC0415 - of rare calls

        return jobs.folder_of_export(self.resources.store.bucket, job).view()

    def _view(self, job: PrivacyJob) -> PrivacyJobView:
        is_exported = job.kind == "export" and job.state == "done"
        return PrivacyJobView(
            id=job.job_id,
            kind=job.kind,
            state=job.state,
            run=job.run,
            requested_at=job.requested_at,
            counts=job.counts,
            receipts=[remainders.receipt(REMAINDERS, one) for one in job.receipts],
            export=self._export(job) if is_exported else None,
        )
