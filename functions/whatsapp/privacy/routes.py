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
from shared.aws.secrets import JsonSecret
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.privacy.requests import Jobs
from shared.privacy.views import PrivacyJobView
from whatsapp.api.queries import NotFound, conversation_address
from whatsapp.privacy.requests import subject_of_key
from whatsapp.store.items import Conversation
from whatsapp.store.items.contacts.privacy import PrivacyJob


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


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes over the jobs. *contacts* has what companies have set."""

    jobs: Jobs[PrivacyJob]
    contacts: Table
    seal_secret: JsonSecret

    @route_methods.changes(
        "POST /whatsapp/contacts/erase", Scope.WHATSAPP_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def erase_contact(self, request: Request[ContactInput]) -> Callable[[], PrivacyJobView]:
        """Erase all data of a contact in the inbox."""
        subject = self._subject(request.caller.company, request.input)
        return self.jobs.request(self.contacts, request.caller, "erase", subject)

    @route_methods.changes(
        "POST /whatsapp/contacts/export", Scope.WHATSAPP_PRIVACY, status=HTTPStatus.ACCEPTED
    )
    def export_contact(self, request: Request[ContactInput]) -> Callable[[], PrivacyJobView]:
        """Export all data of a contact in the inbox."""
        subject = self._subject(request.caller.company, request.input)
        return self.jobs.request(self.contacts, request.caller, "export", subject)

    @route_methods.reads("GET /whatsapp/privacy-jobs/{job_id}", Scope.WHATSAPP_PRIVACY)
    def read_privacy_job(self, request: Request[NoInput], job_id: str) -> PrivacyJobView:
        """Read the progress and the receipts of a job, and links to the newest export."""
        job = self.jobs.get(job_id, request.caller.company)
        if job is None:
            raise NotFound("job_id: job not found")
        return self.jobs.view(job)

    def _subject(self, company: str, contact: ContactInput) -> str:
        """Return the subject of a contact. Raises NotFound for a key that is not one of the company."""
        if contact.conversation is None:
            return str(contact.phone_number or contact.user_id)
        seal = seal_of(self.seal_secret)
        try:
            key = seal.open(contact.conversation, bound_to=conversation_address(company))
        except NotOurs:
            raise NotFound("conversation: conversation not found") from None
        return subject_of_key(Conversation.contact_of(key))
