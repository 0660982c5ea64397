"""The company's addresses."""

from typing import Any, ClassVar

from pydantic import Field

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.thread import Automation, ReplyMode
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.identity.addresses import without_label
from shared.policy.business_hours import BusinessHours


@audited("display_name", "link_hosts", maps=("ai", "business_hours"))
class Mailbox(ThreadItem):
    """An address of a company at which mail is received, and the settings of its threads."""

    pattern: ClassVar[str] = "mailbox#{address}"

    conversation_id: str  # the item's key
    address: str = Field(repr=False)
    company_id: str
    display_name: str | None = Field(default=None, repr=False)
    automation: Automation = Automation.NONE
    retention_days: int = 30
    enabled: bool = True
    reply_mode: ReplyMode = ReplyMode.MANUAL
    ai: dict[str, Any] | None = (
        None  # `shared.ai.settings`: the model that reads mails and drafts answers
    )
    requirements_schema: dict[str, Any] | None = None  # JSON Schema; None: the usual fields
    auto_complete: bool = False  # a thread with all requirements is completed without a person
    facts: list[str] = Field(default_factory=list, repr=False)  # that drafts may state, as prices
    link_hosts: list[str] = Field(default_factory=list)  # that automatic answers may link to
    blocked_senders: set[str] = Field(
        default_factory=set, repr=False
    )  # addresses and `@domain`s whose mail is left out
    undo_seconds: int | None = None  # between an approval and its send
    signature: str | None = Field(default=None, repr=False)
    business_hours: BusinessHours | None = None  # None: always
    first_response_minutes: int | None = None  # targets, in business hours
    resolution_minutes: int | None = None
    auto_close_days: int | None = None  # after our answer, without a mail of the customer
    satisfaction_delay_hours: int | None = (
        None  # from the end of a thread to the question; None: not asked
    )
    reopen_days: int | None = None  # later mail of the customer begins a new thread; None: never
    ai_version: int | None = None  # the live one of its model's settings; None without a model
    ai_trial: str | None = None  # the newest trial of a version beside the live one
    updated_at: str | None = None
    updated_by: str | None = None

    def blocks(self, sender: str) -> bool:
        """Whether mail of a sender is left out: of the address, with any label, or of its domain."""
        names = {sender, without_label(sender), f"@{sender.rpartition('@')[2]}"}
        return not self.blocked_senders.isdisjoint(names)

    @classmethod
    def of(cls, address: str) -> Attributes:
        """Return the key of an address."""
        return cls.key(address)


class CompanyMailboxes(ThreadItem):
    """The addresses of a company's mailboxes."""

    pattern: ClassVar[str] = "company#{company_id}"

    conversation_id: str  # the item's key
    addresses: set[str] = Field(default_factory=set, repr=False)
