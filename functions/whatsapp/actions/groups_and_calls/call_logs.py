"""Lists calls."""

from datetime import datetime
from typing import Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Moment, PageInput, PhoneFilter, PhoneOrUserId
from whatsapp.actions.groups_and_calls.calls import CALLING
from whatsapp.api.call_views import CallView, call_view
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.inbox import call_logs
from whatsapp.store.inbox.call_logs import CallLog
from whatsapp.store.items import Conversation, Phone

_FIRST, _LAST = "2000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"


class GetCallLogs(PhoneFilter, PageInput):
    """A number, a customer (`to`), or both; `agentId`: calls that this person or API key placed."""

    agent_id: str | None = Field(default=None, min_length=1, max_length=128)
    status: Literal["initiated", "ringing", "answered", "ended", "failed"] | None = None
    to: PhoneOrUserId | None = Field(default=None, validation_alias=AliasChoices("to", "toNumber"))
    since: Moment | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _names_a_list(self) -> Self:
        if not (self.meta_waba_id or self.phone or self.to):
            raise PydanticCustomError("log", "must have one of metaWabaId, phone, to")
        return self


class Totals(View):
    """Totals of the page; *duration* in seconds."""

    calls: int
    answered: int
    missed: int
    duration: int


class CallLogs(View):
    """A page of calls, newest first."""

    calls: list[CallView]
    totals: Totals


@CALLING.reads("local", Scope.WHATSAPP_CALLS)
def get_call_logs(call: Call[GetCallLogs]) -> Page[CallLogs]:
    """
    List calls, newest first: of a number, with a customer of a number, or, with `to` alone, the calls of a
    customer to any of the company's numbers. A page may be short and have a cursor.
    """
    asked = call.input
    between = (_text(asked.since) or _FIRST, _text(asked.until) or _LAST)
    found, last = call_logs.page(
        call.table, _log(call), between, limit=asked.limit, start=paging.start_of(call)
    )
    shown = [
        call_view(one)
        for one in found
        if one.company == call.company
        and not one.erased
        and asked.agent_id in {None, one.agent}
        and asked.status in {None, one.status}
    ]
    totals = Totals(
        calls=len(shown),
        answered=sum(one.answered_at is not None or bool(one.duration) for one in shown),
        missed=sum(one.missed for one in shown),
        duration=sum(int(one.duration or 0) for one in shown),
    )
    return Page(CallLogs(calls=shown, totals=totals), paging.cursor_of(call, last))


def _log(call: Call[GetCallLogs]) -> CallLog:
    """Return the list that the input names. Raises NotFound, PhoneRequired and InvalidInput."""
    phone, customer = participants.filtered_phone(call), call.input.to
    if customer is None:
        return CallLog.of_number(_given(phone).phone_arn)
    if phone is None:
        phones = participants.phones_of(call)
        # Any number of the company determines the region of a number without country code.
        contact, _, _ = participants.contact_of(
            call, _given(phones[0] if phones else None), customer, "to"
        )
        return CallLog.of_caller(contact)
    contact, _, _ = participants.contact_of(call, phone, customer, "to")
    return CallLog.of_conversation(Conversation.key(phone.arn_suffix, contact))


def _given(phone: Phone | None) -> Phone:
    if phone is None:
        raise NotFound("the company has no number")
    return phone


def _text(moment: datetime | None) -> str | None:
    return clock.to_text(int(moment.timestamp() * clock.SECOND_MS)) if moment else None
