"""Marks conversations as read, and archives them."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Permanent
from whatsapp import store, transmission
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Whole
from whatsapp.actions.conversations import inputs, message_lists
from whatsapp.actions.conversations.deletions import LEGACY
from whatsapp.actions.conversations.inputs import ConversationInput
from whatsapp.api.changes import CAUSE_CHARACTERS
from whatsapp.api.entry_search import Search, search
from whatsapp.api.views import StateView, state_view
from whatsapp.sending.failures import NotConfigured
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items import Conversation, Message


class UpdateConversation(ConversationInput):
    """Marks a conversation as read (`markAsRead`, or `unreadCount` 0), or sets `archived`."""

    mark_as_read: Literal[True] | None = None
    unread_count: Annotated[Whole, Field(ge=0, le=0)] | None = None
    archived: Annotated[
        Flag | None, Field(description="whether it is archived; absent: unchanged")
    ] = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.mark_as_read is None and self.unread_count is None and self.archived is None:
            problem = "must have one of markAsRead, unreadCount, archived"
            raise PydanticCustomError("change", problem)
        return self


class MarkRead(ConversationInput):
    """`sendReceipt` also shows the customer that the newest message was read."""

    send_receipt: Flag = False


class ChangedConversation(StateView):
    """The state after the change. *receiptFor*: key of the message whose receipt the provider accepted."""

    conversation_pk: str
    receipt_for: str | None = None


@LEGACY.changes("local", Scope.WHATSAPP_WRITE)
def update_conversation(call: Call[UpdateConversation]) -> ChangedConversation:
    """
    Mark a conversation as read, archive it, or take it out of the archive.

    The unread count is counted, never set: 0 marks everything as read. A conversation is read up to its newest message
    at this moment; a message that arrives meanwhile stays unread.
    """
    head = inputs.head_of(call)
    if call.input.mark_as_read or call.input.unread_count == 0:
        head = _read(call, head)
    if call.input.archived is not None:
        head = _archived(call, head, value=call.input.archived)
    return _view(head)


@LEGACY.changes("local", Scope.WHATSAPP_WRITE)
def mark_conversation_read(call: Call[MarkRead]) -> ChangedConversation:
    """
    Mark a conversation as read; with `sendReceipt` tell the customer first.

    If the provider does not accept the receipt, nothing is marked and the call can be repeated. A conversation without
    a message of the customer needs no receipt.
    """
    head = inputs.head_of(call)
    receipt_for = _send_receipt(call, head) if call.input.send_receipt else None
    return _view(_read(call, head), receipt_for)


@LEGACY.changes("local", Scope.WHATSAPP_WRITE)
def archive_conversation(call: Call[ConversationInput]) -> ChangedConversation:
    """Archive a conversation. The customer's next message takes it out of the archive."""
    return _view(_archived(call, inputs.head_of(call), value=True))


@LEGACY.changes("local", Scope.WHATSAPP_WRITE)
def unarchive_conversation(call: Call[ConversationInput]) -> ChangedConversation:
    """Take a conversation out of the archive."""
    return _view(_archived(call, inputs.head_of(call), value=False))


def _read(call: Call[Any], head: Conversation) -> Conversation:
    """Mark a conversation as read up to its newest entry. Raises Transient."""
    if head.last_key is None:
        return head
    at = clock.to_text(clock.now_ms())
    return store.read_marks.mark_read(
        call.table, head, up_to=head.last_key, by=call.caller.principal, at=at
    )


def _archived(call: Call[Any], head: Conversation, *, value: bool) -> Conversation:
    """Set whether a conversation is archived, and record the caller. Raises Transient."""
    if bool(head.archived) == value:
        return head
    change = Change(
        fields={"archived": value},
        revision=None,
        cause=digest(call.cause, str(value))[:CAUSE_CHARACTERS],
        by=call.caller.principal,
        at=clock.to_text(clock.now_ms()),
    )
    return store.agent_changes.apply(call.table, head, change)


def _send_receipt(call: Call[Any], head: Conversation) -> str | None:
    """
    Show the customer that their newest message was read, and return its key; None if there is none.

    A repetition has no effect at the provider. Raises NotFound, NotConfigured, ProviderRejected, ProviderUnavailable
    and TooFast.
    """
    newest = Search(
        company=call.company,
        listed=message_lists.timeline_of(head),
        fits_entry=lambda entry: entry.get("direction") == "INBOUND",
        fits=lambda one: isinstance(one, Message) and one.origin != "history",
        most=message_lists.ENTRIES_PER_CALL,
    )
    found = search(call.table, newest, limit=1).entries
    if not found:
        return None
    message = found[0]
    phone = inputs.phone_of(call, head)
    try:
        post = transmission.post_of(call.resources, phone)
    except Permanent as fault:
        raise NotConfigured(f"phone: {fault.reason}") from None
    receipt = {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": Message.id_of(message.pk),
    }
    remote.answered(lambda: {"id": post(receipt)})
    return message.pk


def _view(head: Conversation, receipt_for: str | None = None) -> ChangedConversation:
    return ChangedConversation(
        conversation_pk=head.pk,
        receipt_for=receipt_for,
        **state_view(head, clock.to_text(clock.now_ms())).model_dump(),
    )
