"""Reports conversions of customers who came from an ad to the provider."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput, KeyReused
from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock
from whatsapp.actions.accounts.analytics import conversion_events
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Currency,
    Input,
    Moment,
    Money,
    PhoneOrUserId,
    Text,
    WabaId,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.failures import NotConfigured
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.analytics import reported
from whatsapp.store.conversations import referrals

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.store.items import Message, Phone

CONVERSIONS = Group("conversions")
OLDEST_DAYS = 7  # Meta refuses older events.
_CLICK = "ctwa_clid"
type _Attempt = Callable[[], str | None]


class DatasetInput(Input):
    """An account."""

    meta_waba_id: WabaId


class Dataset(View):
    """The provider's id of the account's dataset."""

    meta_waba_id: str
    dataset_id: str


class ConversionInput(Input):
    """
    A conversion. `value` is in minor units and comes with `currency`; a purchase needs both. `eventId` is the caller's
    own id. `eventTime`: at most 7 days ago; without it now.
    """

    meta_waba_id: WabaId
    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "contact"))
    event_name: Literal[
        "Purchase",
        "LeadSubmitted",
        "InitiateCheckout",
        "AddToCart",
        "ViewContent",
        "OrderCreated",
        "OrderShipped",
    ]
    value: Money | None = None
    currency: Currency | None = None
    event_id: Annotated[Text, Field(max_length=100)]
    event_time: Moment | None = None

    @model_validator(mode="after")
    def _has_a_price_or_none(self) -> Self:
        if (self.value is None) != (self.currency is None):
            raise PydanticCustomError("price", "must have both value and currency, or neither")
        if self.event_name == "Purchase" and self.value is None:
            raise PydanticCustomError("price", "must have value and currency for a purchase")
        return self


class ConversionView(View):
    """*provider_id*: the provider's id of the request."""

    event_id: str
    dataset_id: str
    provider_id: str


@CONVERSIONS.changes("remote_eum", Scope.WHATSAPP_ANALYTICS)
def create_conversion_dataset(call: Call[DatasetInput]) -> Dataset:
    """Create the account's dataset for conversion events, or return the existing one."""
    waba = call.input.meta_waba_id
    phones = participants.account_of(call, waba)
    stored = _with_dataset(phones)
    if stored is not None:
        return Dataset(meta_waba_id=waba, dataset_id=str(stored.conversion_dataset))
    dataset = _created(call, phones[0])
    phone_settings.change(call.table, phones[0], conversion_dataset=dataset)
    return Dataset(meta_waba_id=waba, dataset_id=dataset)


@CONVERSIONS.changes("remote_eum", Scope.WHATSAPP_ANALYTICS, idempotent=False)
def send_conversion_event(call: Call[ConversionInput]) -> ConversionView:
    """
    Report a conversion of a customer who came from an ad, once for each `eventId` of the account, and count it.

    Answers `state_conflict` if the customer's newest message from an ad has no click id, or `eventId` was used for
    another event; `not_configured` before `create_conversion_dataset`. A refused event needs another `eventId`.
    """
    given = call.input
    seconds = _seconds(given)
    phones = participants.account_of(call, given.meta_waba_id)
    sender = _with_dataset(phones)
    if sender is None:
        raise NotConfigured("the account has no dataset; call create_conversion_dataset first")
    message = _from_ad(call, phones)
    event = conversion_events.event_of(
        name=given.event_name,
        event_id=given.event_id,
        seconds=seconds,
        waba=given.meta_waba_id,
        click=str((message.referral or {})[_CLICK]),
        value=given.value,
        currency=given.currency,
    )
    provider_id = _sent_once(call, sender, to_json(event))
    _count(call, message)
    return ConversionView(
        event_id=given.event_id,
        dataset_id=str(sender.conversion_dataset),
        provider_id=provider_id,
    )


def _with_dataset(phones: list[Phone]) -> Phone | None:
    return next((phone for phone in phones if phone.conversion_dataset), None)


def _created(call: Call[DatasetInput], phone: Phone) -> str:
    """
    Create or find the dataset of a number's account, and return its id.

    Not confirmed by traffic of ours: that both providers return the existing dataset for a repeated call.
    """
    if phone.provider == "eum":
        eum = remote.eum_of(call, phone)
        return str(eum.call("create_whatsapp_dataset", id=_aws_account(phone))["datasetId"])
    return str(remote.graph_of(call, phone).post(phone.waba_meta_id, "dataset", body={})["id"])


def _sent_once(call: Call[ConversionInput], phone: Phone, event: str) -> str:
    """Send an event, once for each of the caller's ids: also with another idempotency key. See `remote.once`."""
    given = call.input
    keyed = replace(call, cause=digest("conversion", given.meta_waba_id, given.event_id))
    try:
        return remote.once(
            keyed,
            phone,
            "look for the event's id in Meta's Events Manager",
            _attempt_of(call, phone, event),
        )
    except KeyReused:
        raise StateConflict("eventId: was used for another event") from None


def _attempt_of(call: Call[ConversionInput], phone: Phone, event: str) -> _Attempt:
    """
    Return the call of the number's provider.

    Not confirmed by traffic of ours: that Graph's answer has `fbtrace_id`, which is then the id of the request.
    """
    dataset = str(phone.conversion_dataset)
    if phone.provider == "eum":
        eum, account = remote.eum_of(call, phone), _aws_account(phone)
        return lambda: eum.attempt(
            "send_whatsapp_conversion_event",
            id=account,
            datasetId=dataset,
            eventData=event.encode(),
        ).get("requestId")
    graph, body = remote.graph_of(call, phone), json.loads(event)
    return lambda: graph.attempt("POST", dataset, "events", body=body).get("fbtrace_id")


def _aws_account(phone: Phone) -> str:
    if phone.aws_waba is None:
        raise NotConfigured("the number has no account id of AWS")
    return phone.aws_waba


def _from_ad(call: Call[ConversionInput], phones: list[Phone]) -> Message:
    """Return the customer's newest message from an ad, at any number of the account. Raises StateConflict."""
    found: list[Message] = []
    for phone in phones:
        head = participants.conversation_with(call, phone, call.input.to, "to")
        message = referrals.newest(call.table, head)
        if message and message.company == call.company and (message.referral or {}).get(_CLICK):
            found.append(message)
    if not found:
        raise StateConflict("to: no message of this customer has a click id of an ad")
    return max(found, key=lambda message: message.received_at)


def _seconds(given: ConversionInput) -> int:
    """Return the time of the conversion in seconds since 1970. Raises InvalidInput."""
    now = clock.now_ms() // clock.SECOND_MS
    seconds = int(given.event_time.timestamp()) if given.event_time else now
    if not now - OLDEST_DAYS * clock.DAY_SECONDS <= seconds <= now:
        problem = f"must be within the last {OLDEST_DAYS} days"
        raise InvalidInput([{"field": "eventTime", "problem": problem}])
    return seconds


def _count(call: Call[ConversionInput], message: Message) -> None:
    """Count the conversion, without the customer."""
    given = call.input
    facts = {
        "eventName": given.event_name,
        "value": given.value,
        "currency": given.currency,
        "adSource": message.ad_source,
    }
    reported.add(
        call.table,
        "conversion",
        company=call.company,
        waba=given.meta_waba_id,
        own_id=f"{given.meta_waba_id}#{given.event_id}",
        facts={name: value for name, value in facts.items() if value is not None},
    )
