"""Checks, stores and lists addresses of customers: at most 20 for each customer, one of which is the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import paging, participants, references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Flag,
    Input,
    MessageRef,
    PageInput,
    PhoneOrUserId,
    ProviderObject,
    Text,
    WabaId,
)
from whatsapp.actions.contacts import address_fields
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store import ordering
from whatsapp.store.contacts import addresses as saved
from whatsapp.store.items.contacts.customers import Address, AddressDefault
from whatsapp.worker.messages import flow_replies

if TYPE_CHECKING:
    from whatsapp.store.items import Phone

ADDRESSES = Group("address_messages")


class Customer(Input):
    """A customer of the account, or of the company's first number."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "customerPhone"))
    meta_waba_id: WabaId | None = None


class CustomerPage(Customer, PageInput):
    """A page of a customer's addresses."""


class Save(Customer):
    """An address; with `addressId` it replaces that one."""

    address: ProviderObject
    address_label: Annotated[Text, Field(max_length=40)] | None = None
    address_id: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    is_default: Flag = False


class Delete(Customer):
    """One address of a customer."""

    address_id: Annotated[str, Field(min_length=1, max_length=64)]


class Validate(Input):
    """An address with the fields of the contract, or of the provider's forms."""

    address: ProviderObject
    country: Literal["IN", "other"] = "IN"


class Reply(Input):
    """A message with an answered address form; `address` counts only if the message holds none."""

    message_id: MessageRef
    address: ProviderObject | None = None
    meta_waba_id: WabaId | None = None
    to: PhoneOrUserId | None = Field(default=None, validation_alias=AliasChoices("to", "from"))


class AddressView(View):
    """One address."""

    address_id: str
    name: str | None = None
    phone_number: str | None = None
    address: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None
    country: str | None = None
    details: dict[str, str] | None = None
    is_default: bool
    created_at: str


class AddressesView(View):
    """Addresses of a customer."""

    addresses: list[AddressView]


class FieldProblem(View):
    """A problem of one field."""

    field: str
    problem: str


class ValidatedAddress(View):
    """Whether an address is complete, with one problem for each field."""

    valid: bool
    problems: list[FieldProblem]


class DeletedAddress(View):
    """The address is gone; *was_default*: the customer has no default address now."""

    address_id: str
    was_default: bool


@ADDRESSES.reads("local", Scope.WHATSAPP_CONTACTS)
def validate_address(call: Call[Validate]) -> ValidatedAddress:
    """
    Check an address. In India: name, phone number of 10 digits, pin code of 6 digits that does not start with 0,
    address, city and state. In other countries: required fields only.
    """
    found = address_fields.problems_of(call.input.address, call.input.country)
    problems = [FieldProblem(field=name, problem=problem) for name, problem in found.items()]
    return ValidatedAddress(valid=not problems, problems=problems)


@ADDRESSES.changes("local", Scope.WHATSAPP_CONTACTS)
def save_address(call: Call[Save]) -> AddressView:
    """
    Save or replace an address. A new default replaces the old one in the same transaction. 409: the customer has 20
    addresses already; 404: `addressId` is not an address of the customer.
    """
    phone, contact = _customer(call)
    given, address_list = call.input, _list_of(call, contact)
    fields = _fields(given)
    new_id = digest(call.company, to_json(dict(sorted(fields.items()))))[:26]
    address_id = given.address_id or new_id
    address_pk = Address.key(contact, address_id)
    known = {each.pk: each for each in saved.of_list(call.table, address_list)}
    if given.address_id is not None and address_pk not in known:
        raise NotFound("addressId: address not found")
    if address_pk not in known and len(known) >= flow_replies.MOST_ADDRESSES:
        raise StateConflict(f"the customer has {flow_replies.MOST_ADDRESSES} addresses")
    is_default = given.is_default or address_list.address_pk == address_pk
    now = clock.to_text(clock.now_ms())
    old = known.get(address_pk)
    address = Address(
        pk=address_pk,
        company=call.company,
        customer_phone=contact,
        address_id=address_id,
        is_default=is_default,
        created_at=old.created_at if old else now,
        phone=phone.phone,
        message_pk=old.message_pk if old else None,
        details={n: t for n, t in fields.items() if n not in address_fields.CONTRACTED} or None,
        **{name: fields.get(name) for name in address_fields.CONTRACTED},
    )
    order = ordering.order_key(now, address_pk)
    changed = saved.with_address(
        address_list, set(known), address_pk, order, is_default=given.is_default
    )
    replaced = address_list.address_pk if address_list.address_pk in known else None
    moves = given.is_default and replaced != address_pk
    saved.save(call.table, address, changed, replaced if moves else None)
    return _view(address, changed)


@ADDRESSES.reads("local", Scope.WHATSAPP_CONTACTS)
def get_customer_addresses(call: Call[CustomerPage]) -> Page[AddressesView]:
    """List a customer's addresses, newest first."""
    return _listed(call, default_first=False)


@ADDRESSES.reads("local", Scope.WHATSAPP_CONTACTS)
def get_saved_addresses(call: Call[CustomerPage]) -> Page[AddressesView]:
    """List a customer's addresses, the default first."""
    return _listed(call, default_first=True)


@ADDRESSES.changes("local", Scope.WHATSAPP_CONTACTS)
def delete_saved_address(call: Call[Delete]) -> DeletedAddress:
    """Delete an address and, when it was the default, the pointer to it. 404 if the customer has no such address."""
    _, contact = _customer(call)
    address_list = _list_of(call, contact)
    address_pk = Address.key(contact, call.input.address_id)
    if address_pk not in address_list.addresses:
        raise NotFound("addressId: address not found")
    was_default = address_list.address_pk == address_pk
    changes: dict[str, Any] = {
        "addresses": {pk: at for pk, at in address_list.addresses.items() if pk != address_pk},
        "revision": address_list.revision + 1,
    }
    if was_default:
        changes["address_pk"] = None
    saved.delete(call.table, address_pk, address_list.model_copy(update=changes))
    return DeletedAddress(address_id=call.input.address_id, was_default=was_default)


@ADDRESSES.changes("local", Scope.WHATSAPP_CONTACTS)
def process_address_response(call: Call[Reply]) -> AddressesView:
    """
    Parse a stored answer to an address form again and save its address, once for each message. The worker does so when
    the message arrives. 404: no such message; 409: neither the message nor the call has an address.
    """
    message = references.message_of(call, call.input.message_id)
    phone = participants.phone_by_id(call, message.phone)
    if call.input.meta_waba_id not in {None, phone.waba_meta_id}:
        raise NotFound("messageId: is not a message of metaWabaId")
    if call.input.to is not None:
        contact = participants.contact_of(call, phone, call.input.to, "to")[0]
        if contact != message.from_pk:
            raise NotFound("messageId: is not a message of from")
    if message.direction != "INBOUND":
        raise StateConflict("messageId: is not a message of a customer")
    stored = _of_message(call, message.from_pk, message.pk)
    if not stored:
        answer = (message.content or {}).get("answer")
        if isinstance(answer, dict):
            reply = flow_replies.Reply(answer, message, None)
            if answer.get("name") == flow_replies.ADDRESS_FORM:
                flow_replies.store_reply(call.resources, phone, reply)
        stored = _of_message(call, message.from_pk, message.pk)
    if not stored and call.input.address is not None:
        given = {
            "name": flow_replies.ADDRESS_FORM,
            "response_json": {"values": address_fields.fields_of(call.input.address)},
        }
        flow_replies.store_reply(call.resources, phone, flow_replies.Reply(given, message, None))
        stored = _of_message(call, message.from_pk, message.pk)
    if not stored:
        raise StateConflict("messageId: the message holds no address")
    return AddressesView(addresses=stored)


def _customer(call: Call[Any]) -> tuple[Phone, str]:
    """Return a number of the account or company, and the customer's contact key at it. Raises NotFound."""
    waba = call.input.meta_waba_id
    phones = participants.account_of(call, waba) if waba else participants.phones_of(call)
    if not phones:
        raise NotFound("the company has no number")
    contact, _, _ = participants.contact_of(call, phones[0], call.input.to, "to")
    return phones[0], contact


def _fields(given: Save) -> dict[str, str]:
    """Return the fields of an address, with its label. Raises InvalidInput."""
    fields = address_fields.fields_of(given.address)
    if not fields:
        raise InvalidInput([{"field": "address", "problem": "must have a field with text"}])
    return fields | ({"label": given.address_label} if given.address_label else {})


def _list_of(call: Call[Any], contact: str) -> AddressDefault:
    owner = AddressDefault.key(contact, call.company)
    empty = AddressDefault(pk=owner, company=call.company, address_pk=None, order="")
    return store.forms.addresses(call.table, owner) or empty


def _listed(call: Call[CustomerPage], *, default_first: bool) -> Page[AddressesView]:
    _, contact = _customer(call)
    address_list = _list_of(call, contact)
    found = sorted(
        saved.of_list(call.table, address_list),
        key=lambda each: address_list.addresses[each.pk],
        reverse=True,
    )
    if default_first:
        found.sort(key=lambda each: each.pk != address_list.address_pk)
    shown, cursor = paging.slice_of(call, found)
    return Page(AddressesView(addresses=[_view(each, address_list) for each in shown]), cursor)


def _of_message(call: Call[Any], contact: str, message_pk: str) -> list[AddressView]:
    address_list = _list_of(call, contact)
    found = saved.of_list(call.table, address_list)
    return [_view(each, address_list) for each in found if each.message_pk == message_pk]


def _view(address: Address, address_list: AddressDefault) -> AddressView:
    fields = address.model_dump(include=set(AddressView.model_fields))
    return AddressView(**fields | {"is_default": address.pk == address_list.address_pk})
