"""A draft: a mail to be sent from a thread, and its review."""

from enum import StrEnum
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.thread import ReplyMode
from shared.runtime import clock

SATISFACTION: Final = "satisfaction"  # `origin` of the question how satisfied the customer is
MODEL: Final = "ai"  # `origin` of a draft of the model
NO_MAIL: Final = 0  # `in_reply_to_n` of a mail that answers none


class DraftStatus(StrEnum):
    """
    The state of a draft.

        pending, amended --approve--> approved --worker--> sending --> sent | failed | unknown
               |  '--reject--> rejected        '-- newer mail of the customer: amended again, or superseded
               '-- newer mail of the customer: superseded
        failed, unknown --approve--> approved (attempt + 1)
        approved --undo--> amended (attempt + 1)
        rejected --restore--> amended (attempt + 1)
    """

    PENDING = "pending"
    AMENDED = "amended"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"


# They wait for a person, and are listed for review.
WAITING: Final = frozenset(
    {DraftStatus.PENDING, DraftStatus.AMENDED, DraftStatus.FAILED, DraftStatus.UNKNOWN}
)
FINAL: Final = frozenset({DraftStatus.SENT, DraftStatus.REJECTED, DraftStatus.SUPERSEDED})


class DraftKind(StrEnum):
    """The kind of the mail: an answer to a mail of the thread, a forward of one, or the first mail of the thread."""

    REPLY = "reply"
    FORWARD = "forward"
    NEW = "new"


class DraftFile(BaseModel):
    """
    A file to be attached: its object under `attachments/`, of an uploaded one with the hash of its content. *inline*:
    an image that the text shows.
    """

    model_config = ConfigDict(extra="allow")

    s3_key: str = Field(repr=False)
    filename: str = Field(repr=False)
    content_type: str
    size: int  # bytes
    sha256: str | None = None
    inline: bool | None = None


class Draft(ThreadItem):
    """
    A draft of a thread. The bytes of its files are in the bucket.

    *version* grows with every amendment, *attempt* with every approval after a failed or unknown send. *composed_n* is
    the newest mail that its author could see; a draft of the model, which reads up to the mail that it answers, has
    none. *confirmed_n* is the newest mail of the customer that the approval took into account: a newer one stops the
    send. *questions* are the fields that the text asks for. While it waits for a person, it is in the company's list of
    drafts (CompanyIndex); closed, in the list of closed ones, which an erasure reads.
    """

    pattern: ClassVar[str] = "{conversation_id}#draft#{reply_id}"
    ttl_days: ClassVar[int] = 30

    conversation_id: str  # the item's key
    reply_id: str
    company_id: str
    mailbox: str = Field(repr=False)
    company_status: str | None = None  # its list in CompanyIndex
    updated_at: str  # the order of the list
    draft_status: DraftStatus
    kind: DraftKind = DraftKind.REPLY
    origin: str  # `ai`, `satisfaction`, or the principal who composed it
    in_reply_to_n: int = NO_MAIL
    composed_n: int | None = None
    email_id: str | None = None  # of the mail that it answers or forwards
    author: str | None = Field(
        default=None, repr=False
    )  # of that mail, if the answer goes to another address
    to: list[str] = Field(default_factory=list, repr=False)
    cc: list[str] = Field(default_factory=list, repr=False)
    bcc: list[str] = Field(default_factory=list, repr=False)
    subject: str = Field(default="", repr=False)
    body_text: str = Field(default="", repr=False)
    drafted_text: str | None = Field(
        default=None, repr=False
    )  # of the model, kept once people have changed it
    signature: str | None = Field(default=None, repr=False)  # as approved; None: the mailbox's
    attachments: list[DraftFile] = Field(default_factory=list)
    questions: list[str] = Field(default_factory=list)
    language: str | None = None  # of the page of a question
    version: int = 1
    attempt: int = 1
    model: str | None = None
    ai_version: int | None = None  # of the mailbox's settings with which the model wrote it
    trial: str | None = None  # for which what comes of it counts
    arm: str | None = None  # of the trial: `live` or `trial`
    usage: dict[str, Any] | None = None
    ai_cost_micros: int | None = None  # micro-dollars of its answer; None: the price is not known
    reviewed_by: str | None = None
    reviewed_at: str | None = None
    undone_by: str | None = None  # the principal who took back its newest approval
    confirmed_n: int | None = None
    reason: str | None = None  # why it waits, failed or was rejected
    action_id: str | None = None
    ses_id: str | None = None
    message_id: str | None = Field(default=None, repr=False)
    send_at: str | None = None  # of an approved draft: not before
    sent_at: str | None = None
    resolved_by: str | None = None  # the principal who stated that an unknown send has arrived
    ttl: int

    @property
    def thread(self) -> str:
        """The id of the draft's thread, from its key."""
        return self.conversation_id.partition("#")[0]

    @property
    def is_automatic(self) -> bool:
        """Whether no person has approved it."""
        return self.reviewed_by == ReplyMode.AUTO

    @property
    def is_of_model(self) -> bool:
        """Whether a model drafted it."""
        return self.origin == MODEL

    @property
    def asks_satisfaction(self) -> bool:
        """Whether it asks how satisfied the customer is."""
        return self.origin == SATISFACTION

    @staticmethod
    def list_of(company_id: str) -> str:
        """Return the partition of CompanyIndex with the drafts of a company that wait for a person."""
        return f"{company_id}#drafts"

    @staticmethod
    def closed_list_of(company_id: str) -> str:
        """Return the partition of CompanyIndex with the drafts of a company that are final."""
        return f"{company_id}#closed_drafts"

    @classmethod
    def lifetime(cls) -> int:
        """Return the `ttl` (epoch seconds) of a draft that is changed now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)
