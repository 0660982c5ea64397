"""Routes of the jobs that erase or export a user: a request is accepted at once, its job shows the progress."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from newsletters.api.access import NotFound
from newsletters.configuration.resources import Resources
from newsletters.privacy import requests
from newsletters.privacy.remainders import of_job
from newsletters.store.items import PrivacyJob
from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.privacy import jobs
from shared.privacy.jobs import Kind
from shared.privacy.requests import view_of
from shared.privacy.settings import refuse_single_person
from shared.privacy.views import PrivacyJobView

if TYPE_CHECKING:
    from shared.privacy.exports import ExportFolder


class UserInput(Input):
    """A user of the company, by the id that newsletters have as `user_id`."""

    user_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")]


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes over the resources of the API. *contacts* has what companies have set."""

    resources: Resources
    contacts: Table

    @route_methods.changes(
        "POST /newsletters/users/erase", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Delete all newsletters of a user, and the user's name from the reviews of others."""
        refuse_single_person(self.contacts, request.caller.company)
        return lambda: self._start(request, "erase")

    @route_methods.changes(
        "POST /newsletters/users/export", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Export all newsletters of a user, with their files."""
        refuse_single_person(self.contacts, request.caller.company)
        return lambda: self._start(request, "export")

    @route_methods.reads("GET /newsletters/privacy-jobs/{job_id}", Scope.NEWSLETTERS_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = jobs.get(self.resources.store.table, PrivacyJob, job_id)
        if job is None or job.company_id != request.caller.company:
            raise NotFound("job_id: job not found")
        return self._view(job)

    def _start(self, request: Request[UserInput], kind: Kind) -> PrivacyJobView:
        job = requests.start(
            self.resources.store.table,
            self.resources.steps,
            company_id=request.caller.company,
            kind=kind,
            user_id=request.input.user_id,
            by=request.caller.principal,
        )
        return self._view(job)

    def _view(self, job: PrivacyJob) -> PrivacyJobView:
        return view_of(job, of_job(job), self._folder)

    def _folder(self, job: PrivacyJob) -> "ExportFolder":
        from newsletters.privacy.jobs import folder_of_export  # noqa: PLC0415 - of rare calls

        return folder_of_export(self.resources.store.bucket, job)
