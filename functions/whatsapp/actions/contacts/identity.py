"""Shows the ids of a customer, and links two contacts that are one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.identity import addresses
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import names, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Input, PhoneId, PhoneOrUserId
from whatsapp.actions.contacts import people
from whatsapp.actions.contacts.consent import RecordedConsent, consents_of
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.privacy import subjects
from whatsapp.sending.views import View
from whatsapp.store.items import Alias, Conversation
from whatsapp.worker import contact_links

if TYPE_CHECKING:
    from whatsapp.store.items import Phone

CONTACTS = Group("contacts")


class ContactRequest(Input):
    """A customer, at all numbers of the company or at one."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "contact"))
    phone: PhoneId | None = Field(default=None, validation_alias=names.PHONE)


class Pair(Input):
    """Two ids of customers of one number."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "contact"))
    alias: PhoneOrUserId
    phone: PhoneId = Field(validation_alias=names.PHONE)


class ContactConversation(View):
    """A conversation; free-form messages are allowed until *window_open_until*."""

    conversation_pk: str
    phone_number_id: str
    name: str | None = None
    last_inbound_at: str | None = None
    window_open_until: str | None = None
    window_is_open: bool
    blocked: bool
    linked_conversations: list[str]
    linked_to: str | None = None


class ContactView(View):
    """A customer: ids, the numbers that they had before, and the name in the address book of the business's app."""

    name: str | None = None
    saved_name: str | None = None
    phone_numbers: list[str]
    user_ids: list[str]
    former_numbers: list[str]
    consents: list[RecordedConsent]
    conversations: list[ContactConversation]


class LinkView(View):
    """Later messages of *linked* go to the conversation of *primary*; after an unlink to its own again."""

    state: Literal["linked", "unlinked"]
    primary_conversation_pk: str
    linked_conversation_pk: str | None = None


@CONTACTS.reads("local", Scope.WHATSAPP_CONTACTS)
def get_contact(call: Call[ContactRequest]) -> ContactView:
    """Return the known ids of a customer, name, consent, window and conversations. 404 if none is known."""
    who = people.named(call, call.input.to, "to")
    wanted = call.input.phone
    phones = [participants.phone_by_id(call, wanted)] if wanted else participants.phones_of(call)
    found = subjects.resolve(call.table, call.company, who)
    by_suffix = {phone.arn_suffix: phone for phone in phones}
    heads = [
        head
        for pk in found.heads
        if pk.split("#")[1] in by_suffix and (head := store.heads.get(call.table, pk))
    ]
    if not heads:
        raise NotFound("to: not found")
    own = {Alias.of_contact(phone.phone, key) for phone in phones for key in found.keys}
    former = {pk.rpartition("#")[2] for pk in found.aliases if pk not in own}
    ids = list(dict.fromkeys([who, *found.ids]))
    newest = max(heads, key=lambda head: head.received_at or "")
    return ContactView(
        name=newest.sender_name,
        saved_name=next((head.saved_name for head in heads if head.saved_name), None),
        phone_numbers=[each for each in ids if each.isdecimal() and each not in former],
        user_ids=[each for each in ids if each[:2].isalpha()],
        former_numbers=sorted(former),
        consents=consents_of(call, [each for each in ids if "-" not in each]),
        conversations=[_conversation(head) for head in heads],
    )


@CONTACTS.changes("local", Scope.WHATSAPP_CONTACTS)
def link_contact_identity(call: Call[Pair]) -> LinkView:
    """
    Declare that two ids are one customer of a number. The older contact's conversation continues, and lists the
    messages of both; `unlink_contact_identity` undoes it. Safe to repeat.
    """
    phone = participants.phone_by_id(call, call.input.phone)
    keys = _keys(call, phone)
    for field, key in zip(("to", "alias"), keys, strict=True):
        if store.heads.get(call.table, Conversation.key(phone.arn_suffix, key)) is None:
            raise NotFound(f"{field}: has no conversation with this number")
    first, second = (contact_links.primary_of(call.table, phone.phone, key).key for key in keys)
    if first == second:
        if keys[0] == keys[1]:
            raise StateConflict("alias: is an id of the same contact already")
        linked = keys[1] if keys[1] != first else keys[0]
        return _link_view("linked", phone, first, linked)
    request = contact_links.Link(by=call.caller.principal, reason=f"action {call.action}")
    made = contact_links.link_by_operator(call.table, phone, (first, second), request)
    return _link_view("linked", phone, made.primary, made.linked)


@CONTACTS.changes("local", Scope.WHATSAPP_CONTACTS)
def unlink_contact_identity(call: Call[Pair]) -> LinkView:
    """Undo the link of two ids for later messages. Safe to repeat. 404 if they were never linked."""
    phone = participants.phone_by_id(call, call.input.phone)
    keys = _keys(call, phone)
    request = contact_links.Link(by=call.caller.principal, reason=f"action {call.action}")
    for linked, other in (keys[::-1], keys):
        stored = store.links.get(call.table, phone.phone, linked)
        if stored is not None and stored.primary == other:
            undone = contact_links.unlink_by_operator(call.table, phone, linked, request)
            return _link_view("unlinked", phone, undone.primary, undone.linked)
    raise NotFound("alias: is not linked to the customer")


def _keys(call: Call[Pair], phone: Phone) -> tuple[str, str]:
    """Return the keys of the two contacts, not those that continue them."""
    return (
        _own_key(call, phone, call.input.to, "to"),
        _own_key(call, phone, call.input.alias, "alias"),
    )


def _own_key(call: Call[Any], phone: Phone, text: str, field: str) -> str:
    _, digits, user_id = participants.contact_of(call, phone, text, field)
    alias = (
        store.aliases.of_number(call.table, phone.phone, digits)
        if digits
        else store.aliases.get(call.table, Alias.of_user(phone.phone, str(user_id)))
    )
    own = addresses.normal_digits(digits) if digits else str(user_id)
    return alias.target if alias and alias.company == call.company else own


def _conversation(head: Conversation) -> ContactConversation:
    return ContactConversation(
        conversation_pk=head.pk,
        phone_number_id=str(head.phone),
        name=head.sender_name,
        last_inbound_at=head.last_inbound_at,
        window_open_until=head.window_until,
        window_is_open=head.has_open_window(clock.to_text(clock.now_ms())),
        blocked=bool(head.blocked),
        linked_conversations=sorted(head.linked_conversations),
        linked_to=head.linked_to,
    )


def _link_view(
    state: Literal["linked", "unlinked"], phone: Phone, primary: str, linked: str
) -> LinkView:
    return LinkView(
        state=state,
        primary_conversation_pk=Conversation.key(phone.arn_suffix, primary),
        linked_conversation_pk=Conversation.key(phone.arn_suffix, linked),
    )
