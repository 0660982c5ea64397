"""Lists messages of a number, a customer, a direction or a conversation."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.aws.dynamodb import Attributes
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Cursor, Flag, Moment, PhoneFilter, PhoneOrUserId, Whole
from whatsapp.actions.conversations import inputs, views
from whatsapp.actions.conversations.inputs import ConversationInput
from whatsapp.actions.conversations.views import ShownMessage, TimelineEntry
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.entry_search import Entry, Search, search
from whatsapp.api.json_view import View
from whatsapp.api.queries import PhoneRequired
from whatsapp.store.conversations.lists.merged_entries import EntryList
from whatsapp.store.items import Conversation, Message, Phone

SEARCH = Group("query_search")
# Entries that one call compares before it returns a short page with a cursor.
ENTRIES_PER_CALL = 2_000
_TIME = Message.name_of("received_at")
_DIRECTION = Message.name_of("direction")
_COMPANY = Message.name_of("company")

# Numbers whose messages one list merges: a query and about 120 characters of the cursor for each.
MOST_PHONES = 20

type Limit = Annotated[Whole, Field(ge=1, le=100)]


class GetMessages(PhoneFilter):
    """
    At most one of `direction`, `fromNumber` and `to`; without them a number of the business. `direction` alone,
    over all numbers, needs `since`, and a company with at most 20 numbers.
    """

    direction: Literal["INBOUND", "OUTBOUND"] | None = None
    from_number: PhoneOrUserId | None = None
    to: PhoneOrUserId | None = Field(default=None, validation_alias=AliasChoices("to", "toNumber"))
    since: Moment | None = None
    until: Moment | None = None
    limit: Limit = 50
    cursor: Cursor | None = None

    @model_validator(mode="after")
    def _is_of_one_list(self) -> Self:
        named = [self.direction, self.from_number, self.to]
        has_sender = self.meta_waba_id is not None or self.phone is not None
        if sum(each is not None for each in named) > 1:
            problem = "must have at most one of direction, fromNumber, to"
            raise PydanticCustomError("list", problem)
        if not any(named) and not has_sender:
            problem = "must have one of direction, fromNumber, to, metaWabaId, phone"
            raise PydanticCustomError("list", problem)
        if self.direction and not has_sender and self.since is None:
            problem = "direction without a number needs since"
            raise PydanticCustomError("list", problem)
        return self


class Messages(View):
    """A page of messages, newest first."""

    messages: list[ShownMessage]


class GetTimeline(ConversationInput):
    """The timeline of a conversation; `presign` adds links to stored files, valid for 15 minutes."""

    limit: Limit = 100
    cursor: Cursor | None = None
    order: Annotated[
        Literal["desc", "asc"], Field(description="the newest or the oldest ones first")
    ] = "desc"
    presign: Flag = False


class Timeline(View):
    """A page of a conversation's messages and calls."""

    conversation_pk: str
    entries: list[TimelineEntry]


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_messages(call: Call[GetMessages]) -> Page[Messages]:
    """
    List messages of a direction, of a customer, or of a number, newest first.

    Compares up to 2,000 entries a call: a page may be short, even empty, and have a cursor. Messages that were deleted
    or erased are left out. A list by `to` has the messages to that customer, a list by `fromNumber` the
    customer's own messages, also in groups.
    """
    asked = call.input
    phone = participants.filtered_phone(call)
    if asked.from_number is not None:
        wanted = _of_sender(call, phone, asked.from_number)
    elif asked.to is not None:
        wanted = _to_customer(call, phone, asked.to)
    elif phone is not None:
        wanted = _of_phones(call, [phone], asked.direction)
    else:
        wanted = _of_phones(call, _few_phones(call), asked.direction)
    entries, cursor = page_of(call, wanted)
    return Page(Messages(messages=views.message_views(call, messages_in(entries))), cursor)


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_conversation_messages(call: Call[GetTimeline]) -> Page[Timeline]:
    """
    List the messages and calls of a conversation and of conversations linked to it, newest first or oldest first.

    Deleted and erased messages are left out.
    """
    head = inputs.head_of(call)
    listed = replace(timeline_of(head), newest_first=call.input.order == "desc")
    wanted = Search(company=call.company, listed=listed, fits=lambda _: True, most=ENTRIES_PER_CALL)
    entries, cursor = page_of(call, wanted)
    shown = views.entry_views(call, entries, links=call.input.presign)
    return Page(Timeline(conversation_pk=head.pk, entries=shown), cursor)


def timeline_of(
    head: Conversation, since: str | None = None, until: str | None = None
) -> EntryList:
    """Return the list of messages and calls of a conversation and of conversations linked to it."""
    return EntryList(
        index="gsi_conversation",
        field=Message.name_of("conversation_pk"),
        time=_TIME,
        partitions=[head.pk, *sorted(head.linked_conversations)],
        since=since,
        until=until,
    )


def inbox_of(phone: Phone, since: str | None, until: str | None) -> EntryList:
    """Return the list of a number's messages and calls; its conversations are in the same partition."""
    return EntryList(
        index="gsi_inbox",
        field=Message.name_of("inbox_pk"),
        time=_TIME,
        partitions=[phone.phone_arn],
        since=since,
        until=until,
    )


def page_of(call: Call[Any], wanted: Search) -> tuple[list[Entry], str | None]:
    """Return a page of the call's limit and its cursor. Raises InvalidCursor."""
    found = search(call.table, wanted, limit=call.input.limit, start=paging.start_of(call))
    return found.entries, paging.cursor_of(call, found.positions or None)


def _of_sender(call: Call[GetMessages], phone: Phone | None, number: str) -> Search:
    contacts = {
        participants.contact_of(call, one, number, "fromNumber")[0] for one in _phones(call, phone)
    }
    listed = _listed(call, "gsi_from", Message.name_of("from_pk"), sorted(contacts))
    return wanted_of(
        call,
        listed,
        lambda entry: entry.get(_COMPANY) == call.company,
        lambda one: phone is None or one.phone == phone.phone,
    )


def _to_customer(call: Call[GetMessages], phone: Phone | None, number: str) -> Search:
    keys = [
        Conversation.key(one.arn_suffix, participants.contact_of(call, one, number, "to")[0])
        for one in _phones(call, phone)
    ]
    listed = _listed(call, "gsi_conversation", Message.name_of("conversation_pk"), keys)
    return wanted_of(call, listed, partial(_is_message, "OUTBOUND"))


def _of_phones(call: Call[GetMessages], phones: list[Phone], direction: str | None) -> Search:
    # Not gsi_direction: it has two partitions for the messages of all companies.
    listed = _listed(
        call, "gsi_inbox", Message.name_of("inbox_pk"), [one.phone_arn for one in phones]
    )
    return wanted_of(call, listed, partial(_is_message, direction))


def _listed(call: Call[GetMessages], index: str, field: str, partitions: list[str]) -> EntryList:
    return EntryList(
        index=index,
        field=field,
        time=_TIME,
        partitions=partitions,
        since=inputs.text_of(call.input.since),
        until=inputs.text_of(call.input.until),
    )


def _is_message(direction: str | None, entry: Attributes) -> bool:
    """Return whether an entry is a message of *direction*; with None, of either direction."""
    is_message = entry.get("itemType") == Message.item_type
    return is_message and direction in {None, entry.get(_DIRECTION)}


def wanted_of(
    call: Call[Any],
    listed: EntryList,
    fits_entry: Callable[[Attributes], bool],
    fits: Callable[[Entry], bool] = lambda _: True,
) -> Search:
    """Return the search for messages of a list."""
    return Search(
        company=call.company,
        listed=listed,
        fits_entry=fits_entry,
        fits=lambda one: isinstance(one, Message) and fits(one),
        most=ENTRIES_PER_CALL,
    )


def _phones(call: Call[Any], phone: Phone | None) -> list[Phone]:
    """Return the number that the input names, or all of the company. Raises PhoneRequired if there are none."""
    found = [phone] if phone is not None else participants.phones_of(call)
    if not found:
        raise PhoneRequired("phone: the company has no number")
    return found


def _few_phones(call: Call[Any]) -> list[Phone]:
    """Return the numbers of the company. Raises PhoneRequired if there are none, or too many for one list."""
    found = _phones(call, None)
    if len(found) > MOST_PHONES:
        problem = f"required with direction: the company has more than {MOST_PHONES} numbers"
        raise PhoneRequired(f"phone: {problem}")
    return found


def messages_in(entries: list[Entry]) -> list[Message]:
    """Return the messages among entries."""
    return [one for one in entries if isinstance(one, Message)]
