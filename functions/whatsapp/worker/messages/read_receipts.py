"""Read receipts: show the customer that their message was read. A side effect, so it goes through the ledger."""

from shared.action_ledger import Action, OnDoubt
from shared.aws.sqs_fifo import digest
from shared.identity import keyed_hashes
from shared.runtime import clock
from whatsapp.event import Event, Outcome
from whatsapp.resources import Resources
from whatsapp.store.items import Phone
from whatsapp.worker.media.downloads import token_of

KIND = "receipt"
ACTION_ID_CHARACTERS = 26


def request(resources: Resources, event: Event) -> None:
    """Queue a receipt for a message as a separate event, so that a provider outage delays no message."""
    receipt = Event(
        kind=KIND, id=event.id, source="parley", app=event.app, accepted_at=clock.now_ms(),
        waba=event.waba, phone=event.phone, display_phone=event.display_phone, field=KIND,
        at=event.at, index=0, contact=None, payload={}, hash=digest(event.id),
    )  # fmt: skip
    resources.queue.send(
        [receipt.entry(group=(KIND, event.id), deduplication=(KIND, event.phone, event.id))]
    )


def send(
    resources: Resources, event: Event, phone: Phone, *, owner: str, remaining_ms: int
) -> Outcome:
    """
    Mark a message as read at the provider, once per attempt; in doubt it is sent again, because repeats have no effect.

    Raises Transient if a later delivery must continue.
    """
    action_id = _action_id(resources, phone.company, event.id)
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

    def post() -> str | None:
        if phone.provider == "eum":
            return resources.eum.post_message(str(phone.aws_phone), receipt)
        return resources.graph.post_message(phone.phone, token, receipt)

    # Before the reservation: without a token nothing is attempted, and nothing is in doubt.
    token = token_of(resources, phone) if phone.provider == "graph" else ""
    resources.ledger.perform(intended, owner=owner, remaining_ms=remaining_ms, send=post)
    return Outcome.PERSISTED


def _action_id(resources: Resources, company: str, inbound_id: str) -> str:
    """
    Return the id of the receipt for a message: the same for every delivery, even across a key rotation.

    The ledger is read only for ids made with older keys.
    """
    newest, *older = (
        key.base32("mark_read", company, inbound_id)[:ACTION_ID_CHARACTERS]
        for key in keyed_hashes.all_keys()
    )
    return next(
        (older_id for older_id in older if resources.ledger.action(older_id) is not None), newest
    )
