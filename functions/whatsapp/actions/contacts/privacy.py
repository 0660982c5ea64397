"""Starts jobs that export or erase all data of a customer, as the admin API does."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.privacy.settings import refuse_single_person
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import Unsupported
from whatsapp.actions.calls.inputs import Flag, Input, PhoneOrUserId
from whatsapp.actions.contacts import people
from whatsapp.actions.dispatch.registration import Group
from whatsapp.privacy.requests import jobs_of
from whatsapp.sending.views import View

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind

CONTACTS = Group("contacts")


class Person(Input):
    """A customer, by a number or user id."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "contact"))


class Erasure(Person):
    """`confirm` must be true."""

    confirm: Literal[True]
    keep_payments: Flag = True


class StartedJob(View):
    """A job that goes on; GET /whatsapp/privacy-jobs/{jobId} shows its progress and its result."""

    goes_on: ClassVar[bool] = True
    job_id: str
    kind: str
    job_state: Literal["queued", "running", "done"]
    run: int
    requested_at: str


@CONTACTS.changes("local", Scope.WHATSAPP_PRIVACY, idempotent=False)
def export_contact(call: Call[Person]) -> StartedJob:
    """Start the export of all data of a customer at the company's numbers. Answers 202 with the job's id."""
    return _started(call, "export")


@CONTACTS.changes("local", Scope.WHATSAPP_PRIVACY)
def erase_contact(call: Call[Erasure]) -> StartedJob:
    """
    Start the erasure of a customer at the company's numbers. Answers 202 with the job's id.

    Messages become stubs for 35 days, so that redelivered events do not bring them back. Payments keep amounts and
    ids; `keepPayments` false is answered with 501.
    """
    if not call.input.keep_payments:
        raise Unsupported("keepPayments: amounts and ids of payments must be kept")
    return _started(call, "erase")


def _started(call: Call[Person] | Call[Erasure], kind: Kind) -> StartedJob:
    refuse_single_person(call.resources.people.contacts, call.company)
    own = jobs_of(call.table, call.resources.bucket, call.resources.queue)
    named = people.named(call, call.input.to, "to")
    job = own.start(kind, call.company, named, by=call.caller.principal)
    return StartedJob(
        job_id=job.job_id,
        kind=job.kind,
        job_state=job.state,
        run=job.run,
        requested_at=job.requested_at,
    )
