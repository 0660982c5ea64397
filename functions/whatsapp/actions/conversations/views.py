"""Views of conversations, messages and calls."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from shared.policy import window
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls.call import Call
from whatsapp.api.entry_search import Entry
from whatsapp.api.json_view import Moment, View
from whatsapp.api.message_views import MessageView, message_view
from whatsapp.api.provider_objects import ErrorView, PricedConversation, Pricing
from whatsapp.api.views import StateView, state_view
from whatsapp.store.items import Conversation, Media, Message, Status
from whatsapp.store.items.conversations.groups import Call as PhoneCall

_Reason = Literal["customer_wrote", "free_entry_point", "expired", "never_wrote"]


class Window(View):
    """
    Whether the provider accepts free-form messages now. *reason*: why the window is open or closed.

    `customer_wrote`: a message or call of the customer in the last 24 hours; `free_entry_point`: an answered ad, which
    permits messages for 72 hours; `expired`; `never_wrote`.
    """

    open: bool
    reason: _Reason
    until: str | None = None
    last_inbound_at: str | None = None


class ShownConversation(StateView):
    """
    A conversation, with the state that agents set and the 24-hour window. *saved_name*: in the address book of the
    business's app, of one conversation.
    """

    conversation_pk: str
    phone: str | None
    inbox_pk: str | None = None
    from_: str | None = Field(default=None, alias="from")
    sender_name: str | None = None
    saved_name: str | None = None
    group_name: str | None = None
    last_message_pk: str | None = None
    last_type: str | None = None
    last_preview: str | None = None
    received_at: Moment | None = None
    labels: list[str] = Field(default_factory=list)
    linked_conversations: list[str] | None = None
    window: Window | None = None


class ShownMessage(MessageView):
    """A message, with its keys. *deletedAt*: hidden from lists by an agent."""

    message_pk: str
    conversation_pk: str | None = None
    phone: str
    deleted_at: str | None = None


class ShownCall(View):
    """A call in a timeline."""

    call_id: str
    direction: str
    status: str
    received_at: Moment
    duration: int | None = None
    end_reason: str | None = None


class TimelineEntry(View):
    """A message or a call."""

    message: ShownMessage | None = None
    call: ShownCall | None = None


class ShownStatus(View):
    """One delivery status, as the provider reported it. *participant*: of a group."""

    status: str
    status_at: str
    participant: str | None = None
    price_category: str | None = None
    pricing: Pricing | None = None
    conversation: PricedConversation | None = None
    errors: list[ErrorView] | None = None


def window_of(head: Conversation, now: str) -> Window:
    """Return the window of a conversation at the time *now*."""
    last, end = head.last_inbound_at, head.window_until
    is_open = head.has_open_window(now)
    reason: _Reason = "expired" if end else "never_wrote"
    if is_open:
        was_written = last and clock.to_text(window.closes_at(clock.from_text(last))) == end
        reason = "customer_wrote" if was_written else "free_entry_point"
    return Window(open=is_open, reason=reason, until=end, last_inbound_at=last)


def conversation_view(head: Conversation, *, with_window: bool = False) -> ShownConversation:
    """Return the view of a conversation. The window needs the whole item; entries of lists do not have it."""
    now = clock.to_text(clock.now_ms())
    return ShownConversation(
        conversation_pk=head.pk,
        phone=head.phone,
        inbox_pk=head.inbox_pk,
        from_=head.from_,
        sender_name=head.sender_name,
        saved_name=head.saved_name,
        group_name=head.group_name,
        last_message_pk=head.last_message_pk,
        last_type=head.last_type,
        last_preview=head.last_preview,
        received_at=head.received_at,
        labels=sorted(head.labels or ()),
        linked_conversations=sorted(head.linked_conversations) or None,
        window=window_of(head, now) if with_window else None,
        **state_view(head, now).model_dump(),
    )


def message_views(
    call: Call[Any], messages: Sequence[Message], *, links: bool = True
) -> list[ShownMessage]:
    """Return the views of messages; without *links* their files and long texts have none."""
    files = _files_of(call, messages)
    return [_shown(call, message, files.get(message.media_id or ""), links) for message in messages]


def entry_views(
    call: Call[Any], entries: Sequence[Entry], *, links: bool = True
) -> list[TimelineEntry]:
    """Return the views of messages and calls, in their order."""
    shown = iter(
        message_views(call, [one for one in entries if isinstance(one, Message)], links=links)
    )
    return [
        TimelineEntry(call=call_view(one))
        if isinstance(one, PhoneCall)
        else TimelineEntry(message=next(shown))
        for one in entries
    ]


def call_view(one: PhoneCall) -> ShownCall:
    """Return the view of a call."""
    return ShownCall(
        call_id=one.call_id,
        direction="INBOUND" if one.call_direction == "USER_INITIATED" else "OUTBOUND",
        status=one.status,
        received_at=one.received_at,
        duration=one.duration,
        end_reason=one.end_reason,
    )


def status_view(status: Status) -> ShownStatus:
    """Return the view of a status."""
    return ShownStatus(**status.model_dump(include=set(ShownStatus.model_fields)))


def _shown(call: Call[Any], message: Message, file: Media | None, links: bool) -> ShownMessage:
    view = message_view(call.resources.bucket, message, file)
    if not links:
        without = {"link": None, "expires_in_seconds": None}
        media = view.media.model_copy(update=without) if view.media else None
        view = view.model_copy(update={"media": media, "whole_content": None})
    return ShownMessage(
        message_pk=message.pk,
        conversation_pk=message.conversation_pk or None,
        phone=message.phone,
        deleted_at=message.deleted_at,
        **{name: getattr(view, name) for name in MessageView.model_fields},
    )


def _files_of(call: Call[Any], messages: Sequence[Message]) -> dict[str, Media]:
    """Return the records of announced files that messages do not have yet, by media id."""
    needed = [m.media_id for m in messages if m.media_id and not m.s3_key and not m.erased]
    records = store.media.records_by_id(call.table, needed) if needed else {}
    return {name: record for name, record in records.items() if record.company == call.company}
