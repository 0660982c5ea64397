"""Read receipts: show the customer that their message was read. A side effect, so it goes through the ledger."""

from shared.ai.spending.bounds import Kind
from shared.aws.sqs_fifo import digest
from shared.providers.action_ledger import Action, OnDoubt
from shared.runtime import clock
from whatsapp import transmission
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Phone
from whatsapp.worker import costs

KIND = "receipt"


def request(resources: Resources, event: Event, phone: Phone) -> None:
    """Queue a receipt for a message as a separate event, so that a provider outage delays no message."""
    receipt = Event(
        kind=KIND, id=event.id, source="parley", app=event.app, accepted_at=clock.now_ms(),
        waba=event.waba, phone=event.phone, display_phone=event.display_phone, field=KIND,
        at=event.at, index=0, contact=None, payload=costs.sender_of(event, phone), hash=digest(event.id),
    )  # fmt: skip
    resources.queue.send(
        [receipt.entry(group=(KIND, event.id), deduplication=(KIND, event.phone, event.id))]
    )


def send(
    resources: Resources, event: Event, phone: Phone, *, owner: str, remaining_ms: int
) -> Outcome:
    """
    Mark a message as read at the provider, once per attempt; in doubt it is sent again, because repeats have no effect.
    Beyond the bounds it is not marked: a person who reads it can do that.

    Raises Transient if a later delivery must continue.
    """
    sender = str((event.payload or {}).get(costs.SENDER) or digest(event.id))
    if costs.reserve(resources.spending, Kind.READ_RECEIPT, phone, sender=sender, event=event.id):
        return Outcome.PERSISTED
    action_id = transmission.action_id(resources, "mark_read", phone.company, event.id)
    receipt = {"messaging_product": "whatsapp", "status": "read", "message_id": event.id}
    intended = Action(
        action_id=action_id,
        company=phone.company,
        channel="whatsapp",
        provider=phone.provider,
        account=phone.waba_meta_id,
        business_address=phone.phone,
        on_doubt=OnDoubt.RESEND,
        body_hash=digest(event.id),
    )

    post = transmission.post_of(resources, phone)  # Before the reservation.
    resources.ledger.perform(
        intended, owner=owner, remaining_ms=remaining_ms, send=lambda: post(receipt)
    )
    return Outcome.PERSISTED
