"""
Messages from before a number was connected, shared by its owner: stored and shown, without further effects.

They were read and answered in the business's own app, so none is unread and no file is downloaded.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Message, Phone
from whatsapp.worker import contacts
from whatsapp.worker.contacts import Lookup
from whatsapp.worker.messages import intake, statuses
from whatsapp.worker.messages.contents import versions

ORIGIN = "history"
# The provider's values (Meta, "history webhook"), in any case; any other value leaves the message as accepted.
_STATES: Mapping[str, str] = {
    "sent": "sent", "delivered": "delivered", "read": "read", "played": "read", "error": "failed",
}  # fmt: skip


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store a message of the history, unless it already arrived live; the head only moves forward.

    A file may arrive in a second event of the same message and is then added to it. Raises Permanent (`no_sender`,
    `conflict`).
    """
    is_ours = _is_ours(event, phone)
    # The customer's address is in the same field as in an echo or a message.
    directed = replace(event, kind="echo" if is_ours else "message")
    lookup = contacts.look_up(resources.table, directed, phone)
    if lookup is None:
        raise Permanent("no_sender")
    described = content.describe(event.payload or {})
    original = _compose(resources, directed, phone, described, lookup)
    link = lookup.customer.link
    message = intake.with_early_changes(resources, original, lookup.edit, phone, link)
    message, outcome = _put(resources, message)
    if message.erased or message.origin != ORIGIN:
        return outcome

    intake.store_full_content(resources, event, phone, message, described)
    versions.keep_original(resources, lookup.edit, original, phone, link)
    intake.show_history(resources, message, phone)
    if message.media_id and message.preview:
        # The head may show the placeholder of the missing file.
        store.heads.change_preview(
            resources.table, message.conversation_pk, message.pk, message.preview
        )
    contacts.remember(resources, directed, lookup.customer, phone)
    if message.direction == intake.OUTBOUND:
        statuses.fold_waiting(resources, event.id, message)
    return outcome


def _put(resources: Resources, message: Message) -> tuple[Message, Outcome]:
    """Store a message of the history, or add its file to the stored one. Raises Permanent (`conflict`)."""
    stored = store.messages.add(resources.table, message)
    if stored is None:
        return message, Outcome.PERSISTED
    if (stored.company, stored.phone) != (message.company, message.phone):
        raise Permanent("conflict")
    if message.media_id and store.messages.complete(resources.table, message):
        return message, Outcome.PERSISTED
    return stored, Outcome.DUPLICATE


def _is_ours(event: Event, phone: Phone) -> bool:
    """Whether the business wrote it: the sender is its number, or (not confirmed) the context has `from_me`."""
    payload = event.payload or {}
    return phone.has_number(payload.get("from")) or _context(payload).get("from_me") is True


def _compose(
    resources: Resources, event: Event, phone: Phone, described: Content, lookup: Lookup
) -> Message:
    is_ours = event.kind == "echo"
    contact_key = lookup.conversation if is_ours else lookup.customer.contact_key
    sender, receiver = contact_key, phone.display_phone
    if is_ours:
        sender, receiver = receiver, sender
    message = intake.compose(
        resources,
        event,
        phone,
        described,
        direction=intake.OUTBOUND if is_ours else intake.INBOUND,
        from_=sender,
        from_pk=sender,
        to=receiver,
        conversation_pk=intake.conversation_pk(phone, lookup.conversation),
        group_id=lookup.group_id,
        origin=ORIGIN,
        **({} if is_ours else intake.sender_of(event)),
    )
    if not is_ours:
        return message.model_copy(
            update={"sent_at": message.received_at if lookup.group_id else None}
        )
    return message.model_copy(update={"sent_at": message.received_at} | _state(event.payload or {}))


def _state(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the delivery state of a message of the business."""
    status = _STATES.get(str(_context(payload).get("status")).lower())
    rank = statuses.RANKS[status] if status else 0
    return {"delivery_status": status or "sent", "status_rank": rank}


def _context(payload: Mapping[str, Any]) -> dict[str, Any]:
    context = payload.get("history_context")
    return context if isinstance(context, dict) else {}
