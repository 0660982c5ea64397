"""Every item type of the table is erased and exported, or is exempt with a reason."""

from tests.cases import each
from whatsapp.privacy import kinds
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


@each("item", ITEMS, ids=lambda item: item.pk_pattern)
def test_an_item_type_is_covered_or_exempt_with_a_reason(item: type[WhatsAppItem]) -> None:
    """A new type fails here until an erasure covers it: add it to `kinds` and list it in `inventory`."""
    assert (item in kinds.COVERED) != (item.item_type in kinds.EXEMPT)


@each(
    "item",
    [item for item in ITEMS if item.model_fields.keys() & PERSONAL],
    ids=lambda item: item.pk_pattern,
)
def test_a_type_with_a_field_of_a_customer_is_not_exempt(item: type[WhatsAppItem]) -> None:
    assert item in kinds.COVERED or item.item_type in _NOT_OF_CUSTOMERS


def test_exemptions_are_of_existing_types_and_have_reasons() -> None:
    assert kinds.EXEMPT.keys() <= {item.item_type for item in ITEMS}
    assert all(len(reason) > 10 for reason in kinds.EXEMPT.values())
