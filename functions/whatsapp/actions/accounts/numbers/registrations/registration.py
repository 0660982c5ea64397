"""Registers numbers at the provider: adds them, proves ownership, sets pins, shows health and limits."""

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.identity import addresses
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.accounts.numbers.registrations import pins, proofs
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, Language, PhoneNumber, SenderInput, Text, WabaId
from whatsapp.actions.calls.provider_objects import HealthStatus
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View
from whatsapp.store.items import Phone

MANAGEMENT = Group("phone_management")
_HEALTH = "health_status,name_status,code_verification_status,platform_type"
_LIMIT = "whatsapp_business_manager_messaging_limit"


class AddNumber(Input):
    """A number for an account; *phone_number* may repeat the *country_code*."""

    meta_waba_id: WabaId
    phone_number: PhoneNumber
    country_code: str = Field(pattern=r"^[0-9]{1,4}$")
    verified_name: Annotated[Text, Field(max_length=75)]


class AddedNumber(View):
    """Meta's id of the number. It is not in use before it is verified, registered and enabled (`save_phone`)."""

    phone_number_id: str


class RequestCode(SenderInput):
    """The way to send the code, and its language with a region, such as en_US."""

    code_method: Literal["SMS", "VOICE"]
    language: Language


class VerifyCode(SenderInput):
    """The code that arrived at the number. It is sent to the provider and not stored."""

    code: str = Field(pattern=r"^[0-9]{6}$", repr=False)


class RegisterPhone(SenderInput):
    """*data_localization_region*: a country in which the provider keeps data at rest, such as IN."""

    data_localization_region: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None


class Deregister(SenderInput):
    """*confirm* must be true."""

    confirm: Literal[True]


class RotatePin(SenderInput):
    """*rotate* must be true."""

    rotate: Literal[True]


class Health(View):
    """The provider's words; *health_status* names the entities that block sending, with their fixes."""

    health_status: HealthStatus | None = None
    name_status: str | None = None
    code_verification_status: str | None = None
    platform_type: str | None = None


class MessagingLimits(View):
    """
    *messaging_limit*: how many customers the portfolio may write to first within 24 hours, as the provider's tier.

    *reached*: how many it has, if that is counted here.
    """

    messaging_limit: str | None = None
    reached: int | None = None


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN, idempotent=False)
def add_phone_number(call: Call[AddNumber]) -> AddedNumber:
    """
    Add a number to an account at the provider, and register it here, disabled, with the settings of the account's
    other numbers.
    """
    sibling = participants.account_of(call, call.input.meta_waba_id)[0]
    graph = remote.graph_of_account(call, call.input.meta_waba_id)
    proofs.prove(
        call, sibling
    )  # before the change at the provider: the new number takes over account and app
    code = call.input.country_code
    national = _national(call.input.phone_number, code)
    body = {"cc": code, "phone_number": national, "verified_name": call.input.verified_name}

    def attempt() -> str:
        answer = graph.attempt("POST", call.input.meta_waba_id, "phone_numbers", body=body)
        return str(answer["id"])

    find = "sync_phones registers the account's new numbers"
    phone_id = remote.once(call, sibling, find, attempt)
    if store.phones.get(call.table, phone_id) is None:
        added = new_number(sibling, phone_id, f"{code}{national}")
        added = added.model_copy(update={"proof": proofs.keep(call, added)})
        store.phones.register(call.table, added)
    return AddedNumber(phone_number_id=phone_id)


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN, idempotent=False)
def request_verification_code(call: Call[RequestCode]) -> Done:
    """Ask the provider to send the code that proves ownership of the number, by SMS or by a call."""
    phone = _named(call)
    graph = remote.graph_of(call, phone)
    body = {"code_method": call.input.code_method, "language": _with_region(call.input.language)}

    def attempt() -> str:
        graph.attempt("POST", phone.phone, "request_code", body=body)
        return phone.phone

    remote.once(call, phone, "wait for the code before asking again", attempt)
    return Done()


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def verify_phone_code(call: Call[VerifyCode]) -> Done:
    """Prove ownership of the number with the code that arrived there."""
    phone = _named(call)
    body = {"code": call.input.code}
    remote.graph_of(call, phone).post(phone.phone, "verify_code", body=body)
    return Done()


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def register_phone(call: Call[RegisterPhone]) -> Done:
    """
    Register the number for the API. The two-step pin comes from the parameter store, or is made and put there.

    The provider refuses a wrong pin (133005): an operator then puts the number's pin into the parameter store.
    """
    phone = _named(call)
    graph = remote.graph_of(call, phone)
    known = pins.current(call.resources, phone)
    pin = known or pins.proposed(call.resources, phone)
    region = call.input.data_localization_region
    body = {"messaging_product": "whatsapp", "pin": pin}
    graph.post(
        phone.phone,
        "register",
        body=body | ({"data_localization_region": region} if region else {}),
    )
    if known is None:
        pins.confirm(call.resources, phone, pin)
    return Done()


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def deregister_phone(call: Call[Deregister]) -> Done:
    """Deregister the number at the provider and disable it here: events and sends of it end within a minute."""
    phone = _named(call)
    remote.graph_of(call, phone).post(phone.phone, "deregister", body={})
    store.phones.set_enabled(call.table, phone.phone, enabled=False)
    store.phones.forget()
    return Done()


@MANAGEMENT.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def set_two_step_pin(call: Call[RotatePin]) -> Done:
    """
    Make a new two-step pin, put it into the parameter store, and set it at the provider. No answer shows it.

    There is no call that switches two-step verification off.
    """
    phone = _named(call)
    graph = remote.graph_of(call, phone)
    pin = pins.proposed(call.resources, phone)
    graph.post(phone.phone, body={"pin": pin})
    pins.confirm(call.resources, phone, pin)
    return Done()


@MANAGEMENT.reads("remote_graph", Scope.WHATSAPP_READ)
def get_phone_health(call: Call[SenderInput]) -> Health:
    """Show whether the number can send, and the provider's reasons and advice if not."""
    phone = _named(call)
    found = remote.graph_of(call, phone).get(phone.phone, fields=_HEALTH)
    known = {name: found[name] for name in _HEALTH.split(",") if found.get(name)}
    return Health.model_validate(known)


@MANAGEMENT.reads("remote_graph", Scope.WHATSAPP_READ)
def get_messaging_limits(call: Call[SenderInput]) -> MessagingLimits:
    """Show the number of customers whom the portfolio may write to first within 24 hours."""
    phone = _named(call)
    report = reports.of_graph(remote.graph_of(call, phone).get(phone.phone, fields=_LIMIT))
    reports.keep(call.resources, phone, report)
    return MessagingLimits(messaging_limit=report.messaging_limit)


def new_number(sibling: Phone, phone_id: str, digits: str, **facts: str) -> Phone:
    """Return a number that is not in use yet, with the company, provider and access of another one of its account."""
    return Phone(
        pk=Phone.key(phone_id),
        company=sibling.company,
        phone=phone_id,
        display_phone=digits,
        phone_arn=facts.pop("phone_arn", f"arn:parley:whatsapp:::phone-number-id/{phone_id}"),
        provider="eum" if "aws_phone" in facts else "graph",
        waba_meta_id=sibling.waba_meta_id,
        tenant=sibling.tenant,
        app_id=sibling.app_id,
        token_ref=sibling.token_ref,
        business_account_name=sibling.business_account_name,
        enabled=False,
        **facts,
    )


def _named(call: Call[Any]) -> Phone:
    """Return the number that the input names, also one that is not in use yet. Raises NotFound and PhoneRequired."""
    if call.input.phone is not None and call.input.meta_waba_id is None:
        return participants.phone_by_id(call, call.input.phone)
    return participants.sender_of(call)


def _national(text: str, country_code: str) -> str:
    """Return a number without its country code. Raises InvalidInput."""
    digits = "".join(character for character in text if character.isdecimal())
    if text.startswith("+") and not digits.startswith(country_code):
        problem = "must begin with countryCode, or without +"
        raise InvalidInput([{"field": "phoneNumber", "problem": problem}])
    national = digits.removeprefix(country_code) if text.startswith("+") else digits
    try:
        addresses.phone_number(f"+{country_code}{national}")
    except addresses.PhoneInvalid:
        problem = "must be a phone number of countryCode"
        raise InvalidInput([{"field": "phoneNumber", "problem": problem}]) from None
    return national


def _with_region(language: str) -> str:
    """Return a language as the provider takes it. Raises InvalidInput."""
    if "_" not in language:
        problem = "must have a region, such as en_US"
        raise InvalidInput([{"field": "language", "problem": problem}])
    return language
