"""Item types with data of customers, and what an erasure does with each. `tests` have why other types are exempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from shared.runtime import clock
from whatsapp.store.items import (
    Alias,
    Conversation,
    Edit,
    Intent,
    Media,
    Message,
    ParkedEntry,
    Reaction,
    Status,
    WebhookEvent,
    WhatsAppItem,
)
from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund
from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.contacts.customers import Address, AddressDefault, FlowResponse, FlowToken
from whatsapp.store.items.conversations.agents import ConversationChange, Note
from whatsapp.store.items.conversations.edit_authors import EditAuthor
from whatsapp.store.items.conversations.groups import Call, Group, GroupParticipant
from whatsapp.store.items.sending.sequences import SequenceRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Attributes

OBJECT: Final = "OBJECT"  # an object of the bucket
CAMPAIGN_LIST: Final = (
    "CAMPAIGN_LIST"  # an object with recipients of a campaign, which loses the customer
)
ERASED: Final = "erased"
STUB_SECONDS: Final = (
    35 * clock.DAY_SECONDS
)  # longer than a provider repeats, or a queue and its dead letters keep an event


@dataclass(frozen=True, slots=True)
class Stub:
    """The rest of an item under its key, which a redelivery finds: the fields *keeps*, and the new values *sets*."""

    item: type[WhatsAppItem]
    keeps: frozenset[str]
    sets: Mapping[str, Any] = field(default_factory=lambda: {"erased": True})

    def of(self, stored: Attributes) -> Attributes:
        """Return the stub of an item."""
        read = self.item.read(stored)
        facts: dict[str, Any] = read.model_dump(include=set(self.keeps)) | dict(self.sets)
        if isinstance(read, Message):
            inbox = read.inbox_pk.removesuffix(Message.erased_suffix)
            facts["inbox_pk"] = Message.inboxes(inbox)[1] if inbox else ""  # It still counts.
        made = self.item.model_validate(
            {**facts, "pk": read.pk, "ttl": clock.expires_in(STUB_SECONDS)}, by_name=True
        )
        return made.attributes()


FACTS_OF_A_MESSAGE: Final = frozenset({
    "direction", "received_at", "sent_at", "type", "origin", "delivery_status", "status_rank", "phone", "company",
    "ad_source", "reply_of", "price_category", "template", "campaign_id",
})  # fmt: skip
_FACTS_OF_A_CALL: Final = frozenset({
    "call_id", "waba_meta_id", "status", "duration", "started_at", "ended_at", "answered_at", "received_at", "phone",
    "company", "call_direction", "status_rank", "end_reason",
})  # fmt: skip
_STUBS: Final = (
    Stub(Message, FACTS_OF_A_MESSAGE, {"erased": True, "payload_hash": ERASED}),
    Stub(Call, _FACTS_OF_A_CALL),
    Stub(
        Media,
        frozenset({"company", "media_id", "phone", "message_pk"}),
        {"media_status": "REVOKED", "reason": ERASED},
    ),
    Stub(
        WebhookEvent,
        frozenset({"company", "event_id", "event_type", "processed_at", "received_at"}),
        {"erased": True, "webhook_event_type": ERASED},
    ),
)
STUBS: Final = {one.item.item_type: one for one in _STUBS}
# Kept with amounts and ids, without texts that people wrote and what identifies the customer.
STRIPPED: Final = {
    kind.item_type: ["customerPhone", "messagePk", "reason", "failureReason", "contentHash"]
    for kind in (PaymentOrder, Refund)
}
# Deleted, unless other people or later times have a part of them, or a send is in doubt (`erasure`).
CHANGED: Final[frozenset[type[WhatsAppItem]]] = frozenset(
    {Alias, Conversation, Edit, Group, Intent}
)
DELETED: Final[frozenset[type[WhatsAppItem]]] = frozenset({
    Address, AddressDefault, ContactLink, ContactLinkChange, ConversationChange, EditAuthor, FlowResponse, FlowToken,
    GroupParticipant, Note, ParkedEntry, Reaction, SequenceRun, Status,
})  # fmt: skip
COVERED: Final[frozenset[type[WhatsAppItem]]] = frozenset(
    (*(one.item for one in _STUBS), PaymentOrder, Refund, *CHANGED, *DELETED)
)


def media_ids_of(message: Message | Call) -> list[str]:
    """Return the ids of the files that a message or a call shows."""
    if isinstance(message, Call):
        return [file["mediaId"] for file in message.files or ()]
    return [message.media_id] if message.media_id else []
