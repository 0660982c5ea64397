"""Canned replies: texts that agents send often."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared.inbox.canned_replies.items import CannedReplyItem
from whatsapp.store.items.item import AtMost, WhatsAppItem


class CannedReply(CannedReplyItem, WhatsAppItem):
    """
    A text that people of a company send often, with variables such as `{{name}}`; e-mail reads it, too.

    `updated_by` is the authenticated principal of the last change.
    """


class CannedReplyList(WhatsAppItem):
    """The names of a company's canned replies, of which a few may no longer exist."""

    item_type: ClassVar[str] = "CANNED_REPLIES"
    pk_pattern: ClassVar[str] = "CANNED_REPLIES#{company}"

    names: Annotated[set[str], AtMost(200)] = Field(default_factory=set)
