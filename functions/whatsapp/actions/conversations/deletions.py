"""Deletes messages from our copy of a conversation."""

from typing import Any, Literal

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, MessageRef
from whatsapp.actions.conversations import message_lists
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.entry_search import Search, search
from whatsapp.api.json_view import View
from whatsapp.privacy import erasure
from whatsapp.privacy.contents import kinds
from whatsapp.privacy.contents.stored_data import Listing
from whatsapp.privacy.subjects import Contact
from whatsapp.store.conversations import head_repair
from whatsapp.store.inbox import deletions
from whatsapp.store.items import Message

LEGACY = Group("legacy")
_NO_CONTACT = Contact(keys=[], links=[], aliases=[], heads=[], ids=[], hashes=[])


class DeleteMessage(Input):
    """A message; `hardDelete` removes its content and file too."""

    message_id: MessageRef
    hard_delete: Flag = False


class Deleted(View):
    """
    A deletion. *scope* is always `our_copy`: no provider deletes a message that was sent, so the customer still has it.
    *state* `hidden` can be followed by `hardDelete`.
    """

    message_pk: str
    state: Literal["hidden", "erased"]
    scope: Literal["our_copy"] = "our_copy"


@LEGACY.changes("local", Scope.WHATSAPP_WRITE)
def delete_message(call: Call[DeleteMessage]) -> Deleted:
    """
    Hide a message from the inbox, or with `hardDelete` remove its content, its file and its statuses.

    Only our copy: the customer keeps the message. A hard deletion leaves a stub without content for 35 days, so that a
    repeated webhook does not bring the message back. If the conversation showed the message, it shows the one before.
    The unread count is not changed.
    """
    message = references.message_of(call, call.input.message_id)
    deletions.hide(call.table, message.pk, clock.to_text(clock.now_ms()))
    _repair_head(call, message)
    if call.input.hard_delete:
        _erase(call, message)
    return Deleted(message_pk=message.pk, state="erased" if call.input.hard_delete else "hidden")


def _repair_head(call: Call[Any], message: Message) -> None:
    """Show the newest other message, where the head shows the deleted one. Safe to repeat."""
    head = store.heads.get(call.table, message.conversation_pk)
    if head is not None and head.linked_to is not None:
        head = store.heads.get(call.table, head.linked_to)
    if head is None or head.last_message_pk != message.pk:
        return
    newest = Search(
        company=call.company,
        listed=message_lists.timeline_of(head),
        fits_entry=lambda entry: entry["itemType"] == Message.item_type,
        fits=lambda one: one.pk != message.pk,
        most=message_lists.ENTRIES_PER_CALL,
    )
    others = [
        one for one in search(call.table, newest, limit=1).entries if isinstance(one, Message)
    ]
    head_repair.show_instead(call.table, head, message.pk, others[0] if others else None)


def _erase(call: Call[Any], message: Message) -> None:
    """
    Replace a message by a stub, after its parts were removed: a repetition after a crash still finds them through it.

    Parts that arrive in between are removed in a second round; after it the stub refuses them.
    """
    listing = Listing(
        table=call.table,
        bucket=call.resources.bucket,
        company=call.company,
        contact=_NO_CONTACT,
        until=clock.to_text(clock.now_ms()),
    )
    for _ in range(2):
        for found in listing.of_message(message):
            if found.kind == kinds.OBJECT:
                listing.bucket.delete(found.key)
            else:
                erasure.remove(listing, found)
