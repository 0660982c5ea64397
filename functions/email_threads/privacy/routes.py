"""Routes of the jobs that erase or export a person: a request is accepted at once, its job shows the progress."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from email_threads.api.inputs import Address
from email_threads.api.queries import NotFound
from email_threads.store.items import PrivacyJob
from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.privacy.requests import Jobs
from shared.privacy.views import PrivacyJobView


class PersonInput(Input):
    """A person, by an e-mail address. All mailboxes of the company are included."""

    address: Address


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes over the jobs. *contacts* has what companies have set."""

    jobs: Jobs[PrivacyJob]
    contacts: Table

    @route_methods.changes(
        "POST /email-threads/contacts/erase", Scope.EMAIL_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_person(self, request: Request[PersonInput]) -> Callable[[], PrivacyJobView]:
        """Erase a person's data in the threads of the company."""
        return self.jobs.request(self.contacts, request.caller, "erase", request.input.address)

    @route_methods.changes(
        "POST /email-threads/contacts/export", Scope.EMAIL_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_person(self, request: Request[PersonInput]) -> Callable[[], PrivacyJobView]:
        """Export a person's data in the threads of the company."""
        return self.jobs.request(self.contacts, request.caller, "export", request.input.address)

    @route_methods.reads("GET /email-threads/privacy-jobs/{job_id}", Scope.EMAIL_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = self.jobs.get(job_id, request.caller.company)
        if job is None:
            raise NotFound("job_id: job not found")
        return self.jobs.view(job)
