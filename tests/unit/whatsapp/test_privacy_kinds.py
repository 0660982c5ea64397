"""Every item type of the table is erased and exported, or is exempt with a reason."""

from tests.cases import each
from whatsapp.privacy.contents import kinds
from whatsapp.store.items.item import WhatsAppItem
from whatsapp.store.items.register import CONTRACTED, SUPPORT

ITEMS = sorted((*CONTRACTED, *SUPPORT), key=lambda item: item.pk_pattern)
# Fields that name a customer or hold what a customer wrote.
PERSONAL = frozenset(
    {
        *("customer_phone", "from_", "from_pk", "sender_name", "text_body", "caption", "content"),
        *("phone_number", "participant", "participants", "actor", "versions", "message", "contact"),
    }
)
# Templates have a text, too.
_NOT_OF_CUSTOMERS = frozenset({"PRIVACY_JOB"})

_OF_THE_BUSINESS = "describes the business, not a customer"
_COUNTS = "numbers without a customer"
# Reasons why an erasure leaves a type.
EXEMPT = {
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


@each("item", ITEMS, ids=lambda item: item.pk_pattern)
def test_an_item_type_is_covered_or_exempt_with_a_reason(item: type[WhatsAppItem]) -> None:
    """A new type fails here until an erasure covers it: add it to `kinds` and list it in `stored_data`."""
    assert (item in kinds.COVERED) != (item.item_type in EXEMPT)


@each(
    "item",
    [item for item in ITEMS if item.model_fields.keys() & PERSONAL],
    ids=lambda item: item.pk_pattern,
)
def test_a_type_with_a_field_of_a_customer_is_not_exempt(item: type[WhatsAppItem]) -> None:
    assert item in kinds.COVERED or item.item_type in _NOT_OF_CUSTOMERS


def test_exemptions_are_of_existing_types_and_have_reasons() -> None:
    assert EXEMPT.keys() <= {item.item_type for item in ITEMS}
    assert all(len(reason) > 10 for reason in EXEMPT.values())
