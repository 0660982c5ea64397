"""Routes of the jobs that erase or export a person: a request is accepted at once, its job shows the progress."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from email_threads.api.inputs import Address
from email_threads.api.queries import NotFound
from email_threads.privacy import requests
from email_threads.privacy.remainders import REMAINDERS
from email_threads.store.items import PrivacyJob
from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.privacy import jobs
from shared.privacy.jobs import Kind
from shared.privacy.requests import view_of
from shared.privacy.settings import refuse_single_person
from shared.privacy.views import PrivacyJobView

if TYPE_CHECKING:
    from shared.privacy.exports import ExportFolder


class PersonInput(Input):
    """A person, by an e-mail address. All mailboxes of the company are included."""

    address: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyRoutes:
    """The routes over one table, bucket and queue (`email-threads.fifo`). *contacts* has what companies have set."""

    table: Table
    contacts: Table
    bucket: Bucket
    queue: FifoQueue

    @route_methods.changes(
        "POST /email-threads/contacts/erase", Scope.EMAIL_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_person(self, request: Request[PersonInput]) -> Callable[[], PrivacyJobView]:
        """Erase a person's data in the threads of the company."""
        refuse_single_person(self.contacts, request.caller.company)
        return lambda: self._start(request, "erase")

    @route_methods.changes(
        "POST /email-threads/contacts/export", Scope.EMAIL_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_person(self, request: Request[PersonInput]) -> Callable[[], PrivacyJobView]:
        """Export a person's data in the threads of the company."""
        refuse_single_person(self.contacts, request.caller.company)
        return lambda: self._start(request, "export")

    @route_methods.reads("GET /email-threads/privacy-jobs/{job_id}", Scope.EMAIL_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = jobs.get(self.table, PrivacyJob, job_id)
        if job is None or job.company_id != request.caller.company:
            raise NotFound("job_id: job not found")
        return self._view(job)

    def _start(self, request: Request[PersonInput], kind: Kind) -> PrivacyJobView:
        job = requests.start(
            self.table,
            self.queue,
            company_id=request.caller.company,
            kind=kind,
            address=request.input.address,
            by=request.caller.principal,
        )
        return self._view(job)

    def _view(self, job: PrivacyJob) -> PrivacyJobView:
        return view_of(job, REMAINDERS, self._folder)

    def _folder(self, job: PrivacyJob) -> "ExportFolder":
        from email_threads.privacy.jobs import folder_of  # noqa: PLC0415 - of rare calls

        return folder_of(self.bucket, job)
