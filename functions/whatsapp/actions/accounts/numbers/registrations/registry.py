"""Registers numbers, and lists and changes their settings."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.identity import addresses
from shared.identity.secret_owners import TOKEN_RULE, owns_token
from shared.runtime.validation import patterns
from whatsapp import store
from whatsapp.actions.accounts.numbers.registrations import proofs
from whatsapp.actions.accounts.numbers.registrations.registration import MANAGEMENT
from whatsapp.actions.calls import names, paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Flag,
    Input,
    PageInput,
    PhoneNumber,
    SenderInput,
    TenantId,
    WabaId,
)
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.accounts.numbers.phones import ListFull, PhoneTaken
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.phones import CONVERSATIONS, NO_AUTOMATION

_STORED = {"off": NO_AUTOMATION, "conversations": CONVERSATIONS}
_SHOWN = {stored: shown for shown, stored in _STORED.items()}

type Automation = Literal["off", "conversations"]


class SavePhone(Input):
    """
    A number and its settings; absent settings of a registered number stay unchanged.

    *graph_token_secret* is the name of an access token of the company, not the token.
    """

    phone: str = Field(
        pattern=r"^[0-9]{5,20}$",
        validation_alias=names.PHONE,
        description="Meta's id of the number",
    )
    meta_waba_id: WabaId
    tenant_id: TenantId
    provider: Annotated[
        Literal["eum", "graph"],
        Field(description="where the number is: AWS End User Messaging, or Meta's Graph API"),
    ]
    phone_arn: (
        Annotated[
            str,
            Field(
                pattern=patterns.worded(
                    r"^arn:aws[a-z-]*:social-messaging:.*:phone-number-id/[0-9a-f]{32}$",
                    "must be the ARN of a phone number of AWS Social Messaging",
                )
            ),
        ]
        | None
    ) = None
    aws_waba_id: (
        Annotated[
            str,
            Field(
                pattern=patterns.worded(
                    r"^waba-[0-9a-f]{32}$", "must be waba- with 32 characters of 0-9 a-f"
                )
            ),
        ]
        | None
    ) = None
    display_phone_number: PhoneNumber
    graph_token_secret: Annotated[str, Field(min_length=1, max_length=140)] | None = None
    app_id: Annotated[str, Field(pattern=r"^[0-9]{5,25}$")] | None = None
    automation: Automation | None = None
    auto_read: Flag | None = None
    messages_per_second: Annotated[int, Strict(), Field(ge=1, le=1_000)] | None = None
    enabled: Flag = True
    is_default: Flag | None = None

    @model_validator(mode="after")
    def _fits_its_provider(self) -> Self:
        if self.provider == "eum" and self.phone_arn is None:
            raise PydanticCustomError("arn", "phoneArn is required for the provider eum")
        return self


class ListPhones(PageInput):
    """One account, or all."""

    meta_waba_id: WabaId | None = None


class SetAutomation(SenderInput):
    """`conversations`: inbound messages are handed over to the automatic answers."""

    automation: Automation


class PhoneView(View):
    """A registered number. *graph_token_secret* is the name of its access token."""

    phone_number_id: str
    phone_arn: str
    meta_waba_id: str
    aws_waba_id: str | None = None
    tenant_id: str | None = None
    provider: Literal["graph", "eum"]
    display_phone_number: str
    display_text: str | None = None  # as people write it: `+44 7700 900101`
    verified_name: str | None = None
    app_id: str | None = None
    graph_token_secret: str | None = None
    automation: Automation
    auto_read: bool
    messages_per_second: int | None = None
    enabled: bool
    is_default: bool


class Phones(View):
    """A page of numbers."""

    phones: list[PhoneView]


@MANAGEMENT.changes("local", Scope.WHATSAPP_ADMIN)
def save_phone(call: Call[SavePhone]) -> PhoneView:
    """
    Register a number, or change its settings. Parked events of an unknown number can be replayed afterwards.

    Number, account and app must be proven to be the company's: Graph lists number and account for `graphTokenSecret`,
    AWS lists the number in an account of the company; an operator grants accounts of AWS and apps. ARN and account of a
    registered number never change (409). One number of an account is the default one.
    """
    given = call.input
    if given.graph_token_secret and not owns_token(call.company, given.graph_token_secret):
        raise InvalidInput([{"field": "graphTokenSecret", "problem": TOKEN_RULE}])
    stored = _stored(call, given.phone)
    phone = _saved(call, stored)
    phone = phone.model_copy(update={"proof": proofs.prove(call, phone)})
    try:
        store.phones.register(call.table, phone)
    except PhoneTaken:
        raise StateConflict("the number is registered with another ARN or account") from None
    except ListFull as full:
        raise StateConflict(str(full)) from None
    store.phones.forget()
    if given.is_default:
        others = participants.account_of(call, phone.waba_meta_id)
        phone_settings.make_default(
            call.table, phone, [other for other in others if other.phone != phone.phone]
        )
    return _view(participants.phone_by_id(call, phone.phone))


@MANAGEMENT.reads("local", Scope.WHATSAPP_READ)
def list_phones(call: Call[ListPhones]) -> Page[Phones]:
    """List the company's registered numbers, oldest first."""
    waba = call.input.meta_waba_id
    phones = participants.phones_of(call) if waba is None else participants.account_of(call, waba)
    shown, cursor = paging.slice_of(call, phones)
    return Page(Phones(phones=[_view(phone) for phone in shown]), cursor)


@MANAGEMENT.changes("local", Scope.WHATSAPP_ADMIN)
def set_phone_automation(call: Call[SetAutomation]) -> PhoneView:
    """Switch the hand-over of inbound messages to the automatic answers on or off, in force within 60 s."""
    phone = participants.sender_of(call)
    phone_settings.change(call.table, phone, automation=_STORED[call.input.automation])
    return _view(participants.phone_by_id(call, phone.phone))


def _stored(call: Call[SavePhone], phone_id: str) -> Phone | None:
    try:
        phone = participants.phone_by_id(call, phone_id)
    except NotFound:
        return None
    if phone.waba_meta_id != call.input.meta_waba_id:
        raise StateConflict("metaWabaId: the number is registered in another account")
    return phone


def _saved(call: Call[SavePhone], stored: Phone | None) -> Phone:
    """Return the number with the given settings. Raises InvalidInput."""
    given = call.input
    try:
        digits = _digits(given.display_phone_number)
    except addresses.PhoneInvalid:
        problem = "must be a phone number with its country code"
        raise InvalidInput([{"field": "displayPhoneNumber", "problem": problem}]) from None
    arn = given.phone_arn if given.provider == "eum" else None
    facts: dict[str, Any] = {
        "display_phone": digits,
        "provider": given.provider,
        "tenant": given.tenant_id,
        "enabled": given.enabled,
        "aws_phone": f"phone-number-id-{arn.rpartition('/')[2]}" if arn else None,
        "aws_waba": given.aws_waba_id,
        "token_ref": given.graph_token_secret,
        "app_id": given.app_id,
        "automation": _STORED[given.automation] if given.automation else None,
        "auto_mark_read": given.auto_read,
        "messages_per_second": given.messages_per_second,
        "is_default": given.is_default,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    if stored is not None:
        # The ARN keys the conversations: `register` refuses another one.
        return stored.model_copy(update=known | ({"phone_arn": arn} if arn else {}))
    return Phone(
        pk=Phone.key(given.phone),
        company=call.company,
        phone=given.phone,
        phone_arn=arn or f"arn:parley:whatsapp:::phone-number-id/{given.phone}",
        waba_meta_id=given.meta_waba_id,
        **known,
    )


def _digits(text: str) -> str:
    """Return the digits in E.164 of a number with its country code. Raises PhoneInvalid."""
    return addresses.phone_number(text if text.startswith("+") else f"+{text}").removeprefix("+")


def _view(phone: Phone) -> PhoneView:
    shown: Any = _SHOWN.get(phone.automation, "off")
    return PhoneView(
        phone_number_id=phone.phone,
        phone_arn=phone.phone_arn,
        meta_waba_id=phone.waba_meta_id,
        aws_waba_id=phone.aws_waba,
        tenant_id=phone.tenant,
        provider=phone.provider,
        display_phone_number=f"+{phone.display_phone}",
        display_text=addresses.displayed(phone.display_phone),
        verified_name=phone.verified_name,
        app_id=phone.app_id,
        graph_token_secret=phone.token_ref,
        automation=shown,
        auto_read=phone.auto_mark_read,
        messages_per_second=phone.messages_per_second,
        enabled=phone.enabled,
        is_default=bool(phone.is_default),
    )
