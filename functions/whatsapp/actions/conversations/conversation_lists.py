"""Lists conversations; returns one conversation, its window, and the number of unread messages."""

from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.aws.tables.merged_lists import MergedList
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, PageInput, PhoneId, PhoneOrUserId, WabaId
from whatsapp.actions.conversations import inputs, views
from whatsapp.actions.conversations.inputs import ConversationInput
from whatsapp.actions.conversations.message_lists import SEARCH
from whatsapp.actions.conversations.views import ShownConversation, Window
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.json_view import View
from whatsapp.api.queries import PhoneRequired
from whatsapp.store.conversations.lists.conversation_lists import START, Position
from whatsapp.store.items import Conversation, Phone
from whatsapp.store.items.conversations.conversations import Folder

INBOX = Group("inbox_extra")
_ACTIVE: Sequence[Folder] = ("open", "resolved", "snoozed")
_ARCHIVED: Sequence[Folder] = ("archived",)


class GetArchived(PageInput):
    """A number of the business; without one, the company's only number."""

    meta_waba_id: WabaId | None = None
    phone: PhoneId | None = Field(
        default=None, validation_alias=AliasChoices("phone", "phoneNumberId", "inboxPk")
    )


class GetConversations(GetArchived):
    """A number of the business, of which archived or unread conversations can be listed."""

    archived: Flag = False
    unread_only: Flag = False


class Conversations(View):
    """A page of conversations, newest first."""

    conversations: list[ShownConversation]


class GetUnread(PageInput):
    """A number (`phone`), or one of its conversations (with `to`). `exact` recounts a conversation."""

    phone: PhoneId | None = Field(default=None, validation_alias=AliasChoices("phone", "phoneId"))
    to: PhoneOrUserId | None = Field(
        default=None, validation_alias=AliasChoices("to", "fromNumber")
    )
    exact: Flag = False

    @model_validator(mode="after")
    def _names_a_number(self) -> Self:
        if self.phone is None:
            raise PydanticCustomError("phone", "phone is required")
        if self.exact and self.to is None:
            raise PydanticCustomError("exact", "exact needs to")
        return self


class Unread(View):
    """
    Unread messages: of a conversation, or of the conversations of one page of a number.

    *complete*: there is no further page to add. *repaired*: a recount has corrected the stored number.
    """

    unread_count: int
    conversations: int
    complete: bool
    repaired: bool | None = None


class ServiceWindow(Window):
    """The window of a conversation. In a group the time of its newest message counts."""

    conversation_pk: str
    customer: Literal["contact", "group"] = "contact"


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_conversations(call: Call[GetConversations]) -> Page[Conversations]:
    """
    List the conversations of one number, newest first: the archived ones, or the others.

    A conversation that gets a message moves to the front during paging. Conversations that another one continues are
    not listed.
    """
    asked = call.input
    phone = _phone(call)
    folders = _ARCHIVED if asked.archived else _ACTIVE
    return _page(call, phone, folders, unread=[True] if asked.unread_only else [True, False])


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_archived_conversations(call: Call[GetArchived]) -> Page[Conversations]:
    """List the archived conversations of one number, newest first."""
    return _page(call, _phone(call), _ARCHIVED, unread=[True, False])


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_conversation(call: Call[ConversationInput]) -> ShownConversation:
    """
    Return a conversation with the state of its 24-hour window.

    If another conversation continues it, that one is returned.
    """
    return views.conversation_view(inputs.head_of(call), with_window=True)


@INBOX.reads("local", Scope.WHATSAPP_READ)
def get_service_window(call: Call[ConversationInput]) -> ServiceWindow:
    """
    Return whether free-form messages to a customer are permitted now, until when, and the reason.

    From our own data: the provider decides. Consent, blocks and limits are not part of the answer.
    """
    head = inputs.head_of(call)
    window = views.window_of(head, clock.to_text(clock.now_ms()))
    return ServiceWindow(
        conversation_pk=head.pk,
        customer="group" if head.group_name else "contact",
        **window.model_dump(),
    )


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_unread_count(call: Call[GetUnread]) -> Page[Unread]:
    """
    Count the unread messages of a conversation, or of a number page by page: add the pages until `complete`.

    With `exact` the messages after the read mark are counted again; a stored number that differs is corrected.
    """
    asked = call.input
    if asked.to is not None:
        return Page(_of_conversation(call, str(asked.phone)))
    phone = participants.phone_by_id(call, str(asked.phone))
    heads, cursor = _heads(
        call, store.conversation_lists.of_number(phone.phone, (*_ACTIVE, *_ARCHIVED), [True])
    )
    return Page(
        Unread(
            unread_count=sum(head.unread_count for head in heads),
            conversations=len(heads),
            complete=cursor is None,
        ),
        cursor,
    )


def _of_conversation(call: Call[GetUnread], phone_id: str) -> Unread:
    phone = participants.phone_by_id(call, phone_id)
    head = inputs.head_with(call, phone, str(call.input.to))
    stored = head.unread_count
    if call.input.exact:
        head = store.read_marks.recount(call.table, head)
    return Unread(
        unread_count=head.unread_count,
        conversations=1,
        complete=True,
        repaired=head.unread_count != stored if call.input.exact else None,
    )


def _phone(call: Call[Any]) -> Phone:
    """Return the number that the input names, or the company's only one. Raises NotFound and PhoneRequired."""
    named = participants.filtered_phone(call)
    if named is not None:
        return named
    phones = participants.phones_of(call)
    if len(phones) != 1:
        raise PhoneRequired("phone: is required, as the company has not exactly one number")
    return phones[0]


def _page(
    call: Call[Any], phone: Phone, folders: Sequence[Folder], unread: Sequence[bool]
) -> Page[Conversations]:
    heads, cursor = _heads(call, store.conversation_lists.of_number(phone.phone, folders, unread))
    shown = [views.conversation_view(head) for head in heads]
    return Page(Conversations(conversations=shown), cursor)


def _heads(
    call: Call[Any], listed: MergedList[Conversation]
) -> tuple[list[Conversation], str | None]:
    """Return a page of conversations of the company, and its cursor. Raises InvalidCursor."""
    given = paging.start_of(call)
    position = Position(given["receivedAt"], tuple(given["shown"])) if given else START
    limit = call.input.limit
    found: list[Conversation] = []
    # One more than a page: whether there is another page.
    entries = store.conversation_lists.entries(call.table, listed, limit=limit + 1, start=position)
    for count, head in enumerate(entries):
        if count == limit:
            last = {"receivedAt": position.received_at, "shown": list(position.shown)}
            return found, paging.cursor_of(call, last)
        position = position.after(head)
        if head.company == call.company:
            found.append(head)
    return found, None
