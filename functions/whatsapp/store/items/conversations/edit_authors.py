"""Further authors of changes to a message that has not arrived."""

from typing import ClassVar

from whatsapp.store.items.item import WhatsAppItem


class EditAuthor(WhatsAppItem):
    """
    Lists the EDIT item of a message under a further customer who has changed it: an erasure finds it by it.

    The EDIT item itself is listed under the first one. The key ends with the subject, which has no `#`.
    """

    item_type: ClassVar[str] = "EDIT_AUTHOR"
    pk_pattern: ClassVar[str] = "EDIT_AUTHOR#{phone}#{messageId}#{subject}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)
    ttl_note: ClassVar[str] = "kept; MESSAGE_TTL_DAYS if set"

    edit_pk: str
    customer_phone: str  # `subject#` and a keyed hash of the customer
    created_at: str
