"""The signature of a person."""

from typing import ClassVar, Final

from pydantic import Field

from email_threads.store.items.item import ThreadItem
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest

_ID_CHARACTERS: Final = 32


@audited()
class Signature(ThreadItem):
    """The name of a person and the texts below the mails that they write: in general, and by mailbox."""

    pattern: ClassVar[str] = "signature#{person}"

    conversation_id: str  # the item's key
    company_id: str
    principal: str
    name: str | None = Field(default=None, repr=False)
    text: str | None = Field(default=None, repr=False)
    by_mailbox: dict[str, str] = Field(default_factory=dict, repr=False)
    updated_at: str

    @classmethod
    def of(cls, company_id: str, principal: str) -> Attributes:
        """Return the key of a person of a company."""
        return cls.key(digest("signature", company_id, principal)[:_ID_CHARACTERS])
