"""Item types with data of customers, and the reasons why other types are exempt from erasure and export."""

from collections.abc import Mapping
from typing import Final

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
from whatsapp.store.items.agents import ConversationChange, Note
from whatsapp.store.items.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.customers import Address, AddressDefault, FlowResponse, FlowToken
from whatsapp.store.items.edit_authors import EditAuthor
from whatsapp.store.items.groups import Call, Group, GroupParticipant
from whatsapp.store.items.sequences import SequenceRun
from whatsapp.store.items.tenants import PaymentOrder, Refund

OBJECT: Final = "OBJECT"  # an object of the bucket
CAMPAIGN_LIST: Final = (
    "CAMPAIGN_LIST"  # an object with recipients of a campaign, which loses the customer
)
# Erased by a stub under the same key, which a redelivery finds.
STUBBED: Final[frozenset[type[WhatsAppItem]]] = frozenset(
    {Message, Call, Media, WebhookEvent, Intent}
)
# Kept with amounts and ids, without the customer.
STRIPPED: Final[frozenset[type[WhatsAppItem]]] = frozenset({PaymentOrder, Refund, Group})
DELETED: Final[frozenset[type[WhatsAppItem]]] = frozenset(
    {
        Address,
        AddressDefault,
        Alias,
        ContactLink,
        ContactLinkChange,
        Conversation,
        ConversationChange,
        Edit,
        EditAuthor,
        FlowResponse,
        FlowToken,
        GroupParticipant,
        Note,
        ParkedEntry,
        Reaction,
        SequenceRun,
        Status,
    }
)
COVERED: Final = STUBBED | STRIPPED | DELETED


def media_ids_of(message: Message | Call) -> list[str]:
    """Return the ids of the files that a message or a call shows."""
    if isinstance(message, Call):
        return [file["mediaId"] for file in message.files or ()]
    return [message.media_id] if message.media_id else []


_OF_THE_BUSINESS = "describes the business, not a customer"
_COUNTS = "numbers without a customer"
# By the name of the type, so that the register of all classes is not imported. A test checks that each type of the
# table is here or above.
EXEMPT: Final[Mapping[str, str]] = {
    "TENANT": _OF_THE_BUSINESS,
    "PAYMENT_CONFIG": _OF_THE_BUSINESS,
    "BUSINESS_PROFILE": _OF_THE_BUSINESS,
    "TEMPLATE_EUM": _OF_THE_BUSINESS,
    "TEMPLATE_META": _OF_THE_BUSINESS,
    "TEMPLATE_MEDIA": _OF_THE_BUSINESS,
    "CATALOG": _OF_THE_BUSINESS,
    "PRODUCT": _OF_THE_BUSINESS,
    "CAMPAIGN": _OF_THE_BUSINESS,
    "WEBHOOK_CONFIG": _OF_THE_BUSINESS,
    "QUALITY_RATING": _OF_THE_BUSINESS,
    "QUALITY_ENTRY": _OF_THE_BUSINESS,
    "CONFIG": _OF_THE_BUSINESS,
    "PHONE": _OF_THE_BUSINESS,
    "FLOW_CONFIG": _OF_THE_BUSINESS,
    "FLOW_KEYS": _OF_THE_BUSINESS,
    "GROUP_REQUEST": "the id of a request of the business and of its group",
    "ANALYTICS": _COUNTS,
    "HOUR": _COUNTS,
    "CHANGED_HOURS": _COUNTS,
    "COUNTING": _COUNTS,
    "COUNTING_PART": _COUNTS,
    "PARKED_QUOTA": _COUNTS,
    "NUMBER_REFRESH": "an hour and the id of a number of the business",
    "SEND_RATE": "keyed hashes and times; expires after a day",
    "CANNED_REPLY": _OF_THE_BUSINESS,
    "CANNED_REPLIES": _OF_THE_BUSINESS,
    "PAYMENT_TX": "amounts and ids of a payment, which must be kept",
    "IDEMPOTENCY": "ids and states of an API call; expires after a day",
    "ERASED_CONTACT": "the tombstone of an erasure: a keyed hash and a time",
    "PRIVACY_JOB": "the job itself: loses the ids of the customer when it is done; its receipts have counts only",
    "EXPORT_JOB": "names a conversation while it runs; an erasure deletes the parts, and the job expires after a week",
    "UNKNOWN_SEND": "the id and time of an action; expires with it",
    "SEQUENCE": _OF_THE_BUSINESS,
    "TIMER": "hashes of messages, with the id of a number of the business; expires after two days",
    "CAMPAIGN_PAGE": "outcomes by the line of a list; the recipients in S3 are deleted when their page is done",
}
