"""
What happens at an automated number is handed over to the context that answers there, after it is stored here.

On every delivery of an event, also a repeated one: the one before may have died after it stored and before it got here.
The queues and their readers know what they have seen, so that twice is harmless.
"""

from shared import clock
from shared.event_queues import file_entry, inbound_entry, status_entry
from shared.events import File, FileStored
from whatsapp import ordering
from whatsapp.event import Event
from whatsapp.forwarding import translation
from whatsapp.forwarding.translation import Number
from whatsapp.inbound import content
from whatsapp.inbound.content import Content
from whatsapp.resources import Resources
from whatsapp.store.items import Message, Phone, Status


def message(
    here: Resources, event: Event, phone: Phone, described: Content, stored: Message
) -> None:
    """
    Hand a customer's message over, or the business's own answer, after which automation is silent.

    What nobody is to answer stays here: notices of the provider, and messages that were deleted before they came.
    """
    if not _is_wanted(event, phone) or described.subtype == "system" or stored.revoked_at:
        return
    has_copy = stored.s3_bucket and stored.s3_key
    told = translation.message(
        event,
        described,
        _number(phone),
        received_at=stored.received_at,
        file_url=f"s3://{stored.s3_bucket}/{stored.s3_key}" if has_copy else None,
    )
    here.conversation_inbound.send([inbound_entry(told)])


def file(here: Resources, phone: Phone, stored: Message, media_id: str, url: str) -> None:
    """Tell where the file of a message lies (`s3://`), which was handed over before the file was here."""
    if not phone.is_automated or stored.group_id or stored.revoked_at or stored.erased:
        return
    number = _number(phone)
    told = FileStored(
        provider=number.provider,
        provider_message_id=stored.message_id,
        account=number.account,
        channel_method="whatsapp",
        business_address=number.address,
        file=File(url=url, provider_id=media_id),
    )
    here.conversation_inbound.send([file_entry(told)])


def reaction(here: Resources, event: Event, phone: Phone) -> None:
    """Hand a customer's reaction over. One that is taken back says nothing, and one of the business answers nothing."""
    if not _is_wanted(event, phone) or event.kind != "message":
        return
    received_at = ordering.received_at_ms(event.at, event.index, event.accepted_at)
    told = translation.message(
        event,
        content.describe(event.payload or {}),
        _number(phone),
        received_at=clock.to_text(received_at),
        file_url=None,
    )
    if told.text:
        here.conversation_inbound.send([inbound_entry(told)])


def status(
    here: Resources, event: Event, phone: Phone, parsed: Status, message: Message | None
) -> None:
    """Hand a delivery status over, unless *message*, or the action that it names, is known to be the inbox's own."""
    if not phone.is_automated or _is_own(here, parsed, message):
        return
    error = parsed.errors[0] if parsed.errors else {}
    told = translation.delivery_status(
        event,
        _number(phone),
        action_id=parsed.action_id,
        error_code=str(error["code"]) if "code" in error else None,
        occurred_at=parsed.status_at,
    )
    here.conversation_statuses.send([status_entry(told)])


def _is_own(here: Resources, parsed: Status, message: Message | None) -> bool:
    """
    Whether the inbox sent what a status is about, or another app of the business did: nobody else waits for it.

    What nobody here knows may be of a conversation, which is told of it later.
    """
    action_id = parsed.action_id or (message.action_id if message else None)
    if action_id is None:
        return message is not None
    return here.ledger.action(action_id) is not None


def _is_wanted(event: Event, phone: Phone) -> bool:
    """Whether somebody answers there. Not in groups: a conversation is with one person."""
    return phone.is_automated and not (event.payload or {}).get("group_id")


def _number(phone: Phone) -> Number:
    return Number(
        provider=phone.carrier,
        account=phone.waba_meta_id,
        address=f"+{phone.display_phone}",
        company=phone.company,
    )
