"""Canned replies: texts that agents send often."""

from typing import Annotated, ClassVar

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem


class CannedReply(WhatsAppItem):
    """
    A text that agents of a company send often, with variables such as `{{name}}`.

    `updated_by` is the authenticated principal of the last change.
    """

    item_type: ClassVar[str] = "CANNED_REPLY"
    pk_pattern: ClassVar[str] = "CANNED_REPLY#{company}#{name}"

    name: str
    text: str
    updated_at: str
    updated_by: str


class CannedReplyList(WhatsAppItem):
    """The names of a company's canned replies, of which a few may no longer exist."""

    item_type: ClassVar[str] = "CANNED_REPLIES"
    pk_pattern: ClassVar[str] = "CANNED_REPLIES#{company}"

    names: Annotated[set[str], AtMost(200)] = Field(default_factory=set)
