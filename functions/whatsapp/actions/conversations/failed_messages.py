"""Lists messages that the provider refused or could not deliver."""

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Cursor, Moment, PhoneFilter
from whatsapp.actions.conversations import inputs, message_lists
from whatsapp.actions.conversations.message_lists import SEARCH, Limit
from whatsapp.actions.dispatch import error_meanings
from whatsapp.api.entry_search import Entry, every_entry
from whatsapp.api.json_view import View
from whatsapp.store.conversations.lists.merged_entries import EntryList
from whatsapp.store.items import Message


class GetFailed(PhoneFilter):
    """Failed messages of all numbers, or of one."""

    since: Moment | None = None
    until: Moment | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


class FailedMessage(View):
    """A failed message. *meaning* and *advice* explain the provider's code; absent if it is unknown."""

    message_pk: str
    message_id: str
    conversation_pk: str | None
    phone: str
    sent_at: str | None
    type: str
    template: str | None = None
    campaign_id: str | None = None
    code: str | None = None
    title: str | None = None
    meaning: str | None = None
    advice: str | None = None


class FailedMessages(View):
    """A page of failed messages, newest first."""

    messages: list[FailedMessage]


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_failed_messages(call: Call[GetFailed]) -> Page[FailedMessages]:
    """
    List the messages that the provider refused or could not deliver, newest first, with the meanings of their codes.

    Compares up to 2,000 entries a call: a page may be short and have a cursor.
    """
    phone = participants.filtered_phone(call)
    listed = EntryList(
        index=store.failed_messages.FAILED_INDEX,
        field=Message.name_of("webhook_event_type"),
        time=Message.name_of("received_at"),
        partitions=[Message.failed_list(call.company)],
        since=inputs.text_of(call.input.since),
        until=inputs.text_of(call.input.until),
    )

    def fits(message: Entry) -> bool:
        return (
            isinstance(message, Message)
            and message.delivery_status == "failed"
            and (phone is None or message.phone == phone.phone)
        )

    wanted = message_lists.wanted_of(call, listed, every_entry, fits)
    entries, cursor = message_lists.page_of(call, wanted)
    return Page(
        FailedMessages(messages=[_failed(m) for m in message_lists.messages_in(entries)]), cursor
    )


def _failed(message: Message) -> FailedMessage:
    error = message.status_error or {}
    code = str(error["code"]) if "code" in error else None
    explained = error_meanings.of_code(code)
    return FailedMessage(
        message_pk=message.pk,
        message_id=message.message_id,
        conversation_pk=message.conversation_pk or None,
        phone=message.phone,
        sent_at=message.sent_at,
        type=message.type,
        template=message.template,
        campaign_id=message.campaign_id,
        code=code,
        title=error.get("title"),
        meaning=explained.meaning if explained else None,
        advice=explained.advice if explained else None,
    )
