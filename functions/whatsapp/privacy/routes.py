"""Routes of the jobs that erase or export a contact: a request is accepted at once, and its job shows the progress."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.models.inputs import Input, NoInput
from shared.api.opaque_ids import NotOurs, seal_of
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.privacy.jobs import Kind, get
from shared.privacy.requests import view_of
from shared.privacy.settings import refuse_single_person
from shared.privacy.views import PrivacyJobView
from whatsapp.api.queries import NotFound, conversation_address
from whatsapp.privacy import jobs
from whatsapp.privacy.remainders import REMAINDERS
from whatsapp.store.items import Conversation
from whatsapp.store.items.privacy import PrivacyJob


class ContactInput(Input):
    """
    A contact, by one id: `conversation` is the key of one of its conversations, `phoneNumber` a number with + and
    country code, `userId` a business-scoped user id. All numbers of the company are included.
    """

    conversation: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    phone_number: Annotated[str, Field(min_length=5, max_length=40)] | None = Field(
        default=None, alias="phoneNumber"
    )
    user_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{3,128}$")] | None = Field(
        default=None, alias="userId"
    )

    @field_validator("phone_number")
    @classmethod
    def _in_digits(cls, text: str | None) -> str | None:
        try:
            return addresses.phone_number(text).removeprefix("+") if text else None
        except AddressInvalid:
            raise PydanticCustomError(
                "phone_number", "must be a phone number with + and country code"
            ) from None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        given = (self.conversation, self.phone_number, self.user_id)
        if sum(each is not None for each in given) != 1:
            raise PydanticCustomError(
                "one_id", "must have one of conversation, phoneNumber, userId"
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyRoutes:
    """The routes over one table, bucket and queue (`whatsapp.fifo`). *contacts* has what companies have set."""

    table: Table
    contacts: Table
    bucket: Bucket
    queue: FifoQueue
    seal_secret: JsonSecret

    @route_methods.changes(
        "POST /whatsapp/contacts/erase", Scope.WHATSAPP_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_contact(self, request: Request[ContactInput]) -> Callable[[], PrivacyJobView]:
        """Erase all data of a contact in the inbox."""
        named = self._named(request.caller.company, request.input)
        return lambda: self._start(request, "erase", named)

    @route_methods.changes(
        "POST /whatsapp/contacts/export", Scope.WHATSAPP_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_contact(self, request: Request[ContactInput]) -> Callable[[], PrivacyJobView]:
        """Export all data of a contact in the inbox."""
        named = self._named(request.caller.company, request.input)
        return lambda: self._start(request, "export", named)

    @route_methods.reads("GET /whatsapp/privacy-jobs/{job_id}", Scope.WHATSAPP_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = get(self.table, PrivacyJob, job_id)
        if job is None or job.company != request.caller.company:
            raise NotFound("job_id: job not found")
        return self._view(job)

    def _start(
        self, request: Request[ContactInput], kind: Kind, named: tuple[str, bool]
    ) -> PrivacyJobView:
        contact, is_key = named
        job = jobs.start(
            self.table,
            self.queue,
            company=request.caller.company,
            kind=kind,
            named=contact,
            by=request.caller.principal,
            by_key=is_key,
        )
        return self._view(job)

    def _named(self, company: str, contact: ContactInput) -> tuple[str, bool]:
        """
        Return the digits or user id of a contact, or its contact key and True.

        Raises NotFound for a key that is not one of the company, and SecondPersonRequired.
        """
        refuse_single_person(self.contacts, company)
        if contact.conversation is None:
            return str(contact.phone_number or contact.user_id), False
        seal = seal_of(self.seal_secret)
        try:
            key = seal.open(contact.conversation, bound_to=conversation_address(company))
        except NotOurs:
            raise NotFound("conversation: conversation not found") from None
        return Conversation.contact_of(key), True

    def _view(self, job: PrivacyJob) -> PrivacyJobView:
        return view_of(job, REMAINDERS, lambda exported: jobs.folder_of(self.bucket, exported))
