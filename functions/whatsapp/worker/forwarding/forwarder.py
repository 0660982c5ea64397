"""
Forwards events of an automated number to the context that answers there, after storing them.

Runs on every delivery of an event, including repeats: an earlier delivery may have died between storing and forwarding.
The queues and their consumers deduplicate.
"""

from shared.events.exchange import (
    File,
    FileStored,
    file_entry,
    inbound_entry,
    status_entry,
)
from shared.runtime import clock
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound import content
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import Event
from whatsapp.store import ordering
from whatsapp.store.items import Message, Phone, Status
from whatsapp.worker.forwarding import translation
from whatsapp.worker.forwarding.translation import Number
from whatsapp.worker.owners import released_numbers


def message(
    resources: Resources, event: Event, phone: Phone, described: Content, stored: Message
) -> None:
    """
    Forward a customer's message, or the business's own reply, after which automation stops.

    Messages that need no answer are not forwarded: provider notices, and messages revoked before they arrived. Of a
    changed number the previous one is announced, also at numbers where no context answers.
    """
    if described.subtype == "system" and not (event.payload or {}).get("group_id"):
        released_numbers.announce_notice(resources, event, phone)
    if not _is_forwarded(event, phone) or described.subtype == "system" or stored.revoked_at:
        return
    inbound_message = translation.message(
        event,
        described,
        _number(phone),
        received_at=_received_at(event),
        file_url=_copy_of(stored),
    )
    resources.conversation_inbound.send([inbound_entry(inbound_message)])


def agents_reply(resources: SendingResources, phone: Phone, stored: Message) -> None:
    """Forward a message that an agent sent from the inbox as the business's own reply, after which automation stops."""
    if not phone.is_automated or stored.group_id:
        return
    event = _as_echo(stored, phone)
    described = content.describe(event.payload or {})
    reply = translation.message(
        event,
        described,
        _number(phone),
        received_at=_received_at(event),
        file_url=_copy_of(stored),
    )
    resources.conversation_inbound.send([inbound_entry(reply)])


def _as_echo(stored: Message, phone: Phone) -> Event:
    """Return a sent message as the provider's echo of a message that the business wrote in its own app."""
    word = stored.subtype or stored.type
    file = {"id": stored.media_id, "caption": stored.caption, "mime_type": stored.mime_type}
    body = {"text": {"body": stored.text_body}}.get(
        word, dict(stored.content or {}) | {n: v for n, v in file.items() if v}
    )
    ids = {"to": stored.sender_phone, "to_user_id": stored.sender_user_id}
    sent_ms = clock.from_text(ordering.moment_of(stored.received_at))
    at, ms = divmod(sent_ms, clock.SECOND_MS)
    return Event(
        kind="echo", id=stored.message_id, source="parley", app="", accepted_at=sent_ms,
        waba=phone.waba_meta_id, phone=phone.phone, display_phone=phone.display_phone,
        field="messages", at=at, index=ms, contact=None, hash=stored.payload_hash,
        payload={name: value for name, value in ids.items() if value} | {"type": word, word: body},
    )  # fmt: skip


def file(
    resources: SendingResources,
    phone: Phone,
    stored: Message,
    media_id: str,
    url: str,
    *,
    transcript: str | None = None,
) -> None:
    """Announce the location (`s3://`) of a message's file, stored after the message was forwarded, or its text."""
    if not phone.is_automated or stored.group_id or stored.revoked_at or stored.erased:
        return
    number = _number(phone)
    file_stored = FileStored(
        provider=number.provider,
        provider_message_id=stored.message_id,
        account=number.account,
        channel_method="whatsapp",
        business_address=number.address,
        file=File(url=url, provider_id=media_id, transcript=transcript),
    )
    resources.conversation_inbound.send([file_entry(file_stored)])


def reaction(resources: Resources, event: Event, phone: Phone) -> None:
    """Forward a customer's reaction. Removed reactions and reactions of the business are not forwarded."""
    if not _is_forwarded(event, phone) or event.kind != "message":
        return
    inbound_message = translation.message(
        event,
        content.describe(event.payload or {}),
        _number(phone),
        received_at=_received_at(event),
        file_url=None,
    )
    if inbound_message.text:
        resources.conversation_inbound.send([inbound_entry(inbound_message)])


def status(
    resources: Resources, event: Event, phone: Phone, parsed: Status, message: Message | None
) -> None:
    """Forward a delivery status, unless *message* or the status's action is known to belong to the inbox."""
    if not phone.is_automated or _is_own(resources, parsed, message):
        return
    error = parsed.errors[0] if parsed.errors else {}
    delivery_status = translation.delivery_status(
        event,
        _number(phone),
        action_id=parsed.action_id,
        error_code=str(error["code"]) if "code" in error else None,
        occurred_at=parsed.status_at,
    )
    resources.conversation_statuses.send([status_entry(delivery_status)])


def _copy_of(stored: Message) -> str | None:
    """Return the address of our copy of a message's file, if it exists yet."""
    has_copy = stored.s3_bucket and stored.s3_key
    return f"s3://{stored.s3_bucket}/{stored.s3_key}" if has_copy else None


def _is_own(resources: Resources, parsed: Status, message: Message | None) -> bool:
    """
    Whether the inbox, or another app of the business, sent the status's message: no conversation waits for it.

    An unknown message may belong to a conversation, which receives the status.
    """
    action_id = parsed.action_id or (message.action_id if message else None)
    if action_id is None:
        return message is not None
    return resources.ledger.action(action_id) is not None


def _is_forwarded(event: Event, phone: Phone) -> bool:
    """Whether a context answers at the number. Not in groups: a conversation has one customer."""
    return phone.is_automated and not (event.payload or {}).get("group_id")


def _received_at(event: Event) -> str:
    """Return the provider's time, with the position in the webhook as milliseconds: the order within a webhook."""
    return clock.to_text(ordering.received_at_ms(event.at, event.index, event.accepted_at))


def _number(phone: Phone) -> Number:
    return Number(
        provider=phone.carrier,
        account=phone.waba_meta_id,
        address=f"+{phone.display_phone}",
        company=phone.company,
    )
