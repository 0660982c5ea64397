"""Links of contacts that are the same person, and the record of their changes."""

from typing import ClassVar, Literal

from whatsapp.store.items.item import WhatsAppItem


class ContactLink(WhatsAppItem):
    """
    The link of a contact to an older one that is the same person. Later messages of both go to the older contact's
    conversation; no message is moved. An unlinked pair is linked again only by an operator.
    """

    item_type: ClassVar[str] = "CONTACT_LINK"
    pk_pattern: ClassVar[str] = "LINK#{phone}#{contactKey}"

    phone: str
    linked: str  # contact keys
    primary: str
    state: Literal["linked", "unlinked"]
    changes: int  # number of its CONTACT_LINK_CHANGE items


class ContactLinkChange(WhatsAppItem):
    """The record of one change of a link: by whom, when and why. Never changed."""

    item_type: ClassVar[str] = "CONTACT_LINK_CHANGE"
    pk_pattern: ClassVar[str] = "LINK#{phone}#{contactKey}#{n}"

    linked: str
    primary: str
    state: Literal["linked", "unlinked"]
    changed_at: str
    changed_by: str  # `parley`, or the operator's name
    reason: str
    evidence: str | None = None  # correlation id of the event that names ids of both

    @classmethod
    def of(cls, phone: str, linked: str, n: int) -> str:
        """Return the key of the *n*th change of a link, from 1."""
        return cls.key(phone, linked, f"{n:04d}")
