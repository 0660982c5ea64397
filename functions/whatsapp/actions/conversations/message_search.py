"""Searches for a text in the messages of one conversation, or of one number and a time range."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Moment, Text
from whatsapp.actions.conversations import inputs, message_lists, views
from whatsapp.actions.conversations.inputs import OptionalConversationInput
from whatsapp.actions.conversations.message_lists import SEARCH
from whatsapp.actions.conversations.views import ShownMessage
from whatsapp.api.entry_search import Entry, Search, search
from whatsapp.api.json_view import Moment as SentAt
from whatsapp.api.json_view import View
from whatsapp.store.items import Message

MOST_MESSAGES = 1_000  # that one call looks at
READ_UNITS = 1  # of a message below 4 KB; its entry in the list adds a hundredth


class SearchMessages(OptionalConversationInput):
    """A text, and a conversation (`conversationPk`, or `phone` with `to`), or `phone` with `since`."""

    query: Annotated[Text, Field(min_length=2, max_length=200)]
    since: Moment | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        is_conversation = self.conversation_pk is not None or self.to is not None
        if not is_conversation and self.since is None:
            raise PydanticCustomError("range", "phone without to needs since")
        return self


class Matches(View):
    """
    Messages with the text, newest first.

    *lookedAt* entries of the list were compared, the last of them of the time *lookedBackTo* (null without any), for
    about *readUnits* read units: one for each message. With a cursor there are older ones, even if nothing matched.
    """

    messages: list[ShownMessage]
    looked_at: int
    looked_back_to: SentAt | None
    read_units: int


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def search_messages(call: Call[SearchMessages]) -> Page[Matches]:
    """
    Find messages by a part of their text, caption, preview or transcript, without regard to case.

    Looks at up to 1,000 messages a call, newest first, and gives a cursor to go on. Of a very long text the beginning
    is compared. There is no index of words: a full search of 100,000 messages takes 100 calls, each of one to two
    seconds, and 100,000 read units ($0.0125 on demand).
    """
    asked = call.input
    since, until = inputs.text_of(asked.since), inputs.text_of(asked.until)
    if asked.conversation_pk is None and asked.to is None:
        phone = participants.phone_by_id(call, str(asked.phone))
        listed = message_lists.inbox_of(phone, since, until)
    else:
        listed = message_lists.timeline_of(inputs.head_of(call), since, until)
    wanted = Search(
        company=call.company,
        listed=listed,
        fits_entry=lambda entry: entry.get("itemType") == Message.item_type,
        fits=lambda one: has_text(one, asked.query),
        most=MOST_MESSAGES,
    )
    found = search(call.table, wanted, limit=asked.limit, start=paging.start_of(call))
    messages = [one for one in found.entries if isinstance(one, Message)]
    shown = Matches(
        messages=views.message_views(call, messages),
        looked_at=found.looked_at,
        looked_back_to=found.looked_to,
        read_units=found.looked_at * READ_UNITS,
    )
    return Page(shown, paging.cursor_of(call, found.positions or None))


def has_text(one: Entry, query: str) -> bool:
    """Whether a message's text, caption, preview or transcript has *query*, without regard to case. Pure."""
    if not isinstance(one, Message):
        return False
    wanted = query.casefold()
    texts = (one.text_body, one.caption, one.preview, one.transcript)
    return any(wanted in text.casefold() for text in texts if text)
