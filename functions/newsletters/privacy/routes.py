"""Routes of the jobs that erase or export a user: a request is accepted at once, its job shows the progress."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from pydantic import Field

from newsletters.api.access import NotFound
from newsletters.privacy.requests import of_user
from newsletters.store.items import PrivacyJob
from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.privacy.requests import Jobs
from shared.privacy.views import PrivacyJobView


class UserInput(Input):
    """A user of the company, by the id that newsletters have as `user_id`."""

    user_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")]


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes over the jobs. *contacts* has what companies have set."""

    jobs: Jobs[PrivacyJob]
    contacts: Table

    @route_methods.changes(
        "POST /newsletters/users/erase", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Delete all newsletters of a user, and the user's name from the reviews of others."""
        subject = of_user(request.input.user_id)
        return self.jobs.request(self.contacts, request.caller, "erase", subject)

    @route_methods.changes(
        "POST /newsletters/users/export", Scope.NEWSLETTERS_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_user(self, request: Request[UserInput]) -> Callable[[], PrivacyJobView]:
        """Export all newsletters of a user, with their files."""
        subject = of_user(request.input.user_id)
        return self.jobs.request(self.contacts, request.caller, "export", subject)

    @route_methods.reads("GET /newsletters/privacy-jobs/{job_id}", Scope.NEWSLETTERS_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = self.jobs.get(job_id, request.caller.company)
        if job is None:
            raise NotFound("job_id: job not found")
        return self.jobs.view(job)
