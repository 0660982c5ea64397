"""A mail of a thread."""

from enum import StrEnum
from typing import Any, ClassVar, Final, Self

from pydantic import Field

from email_threads.parsing.body.delivery_status import BounceClass
from email_threads.parsing.caps import HoldReason
from email_threads.parsing.flags import Flag
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.shadow import ShadowDraft
from email_threads.store.items.threads.thread import EmailFields
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import stored


class Delivery(StrEnum):
    """The delivery of a sent mail, in ascending rank: a later event of a lower rank changes nothing."""

    SENT = "sent"
    DELAYED = "delayed"
    DELIVERED = "delivered"
    REJECTED = "rejected"
    BOUNCED = "bounced"
    COMPLAINED = "complained"

    @property
    def rank(self) -> int:
        """Position in the order."""
        return list(Delivery).index(self)


class JoinedBy(StrEnum):
    """The evidence for a mail's thread: a reply token, a Message-ID that it names, or a participant's known subject."""

    TOKEN = "token"  # noqa: S105 - how a mail joined, no secret
    REFERENCE = "reference"
    PARTICIPANT = "participant"


class Evidence(StrEnum):
    """Whether a mail counts whose author was no verified participant: not yet, or since a person admitted it."""

    WEAK = "weak"
    ADMITTED = "admitted"


class EvidenceReason(StrEnum):
    """The reason why the evidence for a mail's thread is weak."""

    NOT_AUTHENTICATED = "not_authenticated"  # SES did not prove the author's address
    NOT_A_PARTICIPANT = "not_a_participant"


# People know better than the rule that has held the mail.
_ADMISSIBLE: Final = frozenset({HoldReason.VERIFICATION, HoldReason.BLOCKED_SENDER})


class Mail(ThreadItem, EmailFields):
    """
    A mail: the contract's e-mail object with whole lists, and the results of parsing and threading.

    `new_text` is the part that its sender wrote. A `body` over 4 KB is cut; `body_key` is the whole one in the bucket,
    `html_key` the sanitised HTML, `raw_key` the mail as it was received, which expires after 30 days.

    A mail that does not count (`counts`) is shown to people only. `html_text` is the text of its HTML, if that differs
    from the body: another mail may quote it.
    """

    pattern: ClassVar[str] = "{conversation_id}#mail#{n}"

    conversation_id: str  # the item's key
    n: int
    company_id: str
    kind: Kind
    trust: Trust
    received_at: str
    fingerprint: str
    new_text: str = Field(default="", repr=False)
    signed: list[str] = Field(default_factory=list, repr=False)  # as in `HistoryEntry`
    is_all_new: bool | None = None  # `new_text` equals `body` and is stored once
    needs_review: bool = False  # joined the thread on weak evidence: no automatic answer
    joined_by: JoinedBy | None = None  # None: it opened the thread
    sender_name: str | None = Field(default=None, repr=False)  # the display name of its author
    is_by_participant: bool | None = None  # its author was a verified participant when it arrived
    evidence: Evidence | None = None  # None: it counts
    evidence_reason: EvidenceReason | None = None
    admitted_by: str | None = None
    admitted_at: str | None = None
    admits_author: bool | None = None  # the admission made the author a participant
    html_text: str | None = Field(default=None, repr=False)
    utc_offset: int | None = None  # minutes, of the Date field: the zone of its author
    hold_reason: HoldReason | None = None
    flags: list[Flag] = Field(default_factory=list)
    raw_key: str | None = Field(default=None, repr=False)
    body_key: str | None = Field(default=None, repr=False)
    html_key: str | None = Field(default=None, repr=False)
    returned_as: Kind | None = None  # a bounce or a complaint about this mail has arrived
    bounce_class: BounceClass | None = None  # of a bounce
    diagnostic: str | None = Field(
        default=None, repr=False
    )  # of a bounce: the mail server's answer
    reply_to: str | None = Field(
        default=None, repr=False
    )  # Reply-To, if it is of the sender's domain
    other_reply_to: str | None = Field(
        default=None, repr=False
    )  # Reply-To of another person or domain, to which only people answer
    automatic_refusal: str | None = None  # why it is never answered without a person
    analysis: dict[str, Any] | None = Field(
        default=None, repr=False
    )  # the model's answer, as validated
    shadow: ShadowDraft | None = Field(
        default=None, repr=False
    )  # what a version on trial would have answered
    reply_id: str | None = None  # the draft that this sent mail came from
    delivery: Delivery | None = None  # of a sent mail, by events of SES
    delivery_rank: int | None = None
    erased: bool | None = None  # its person was erased: only its place in the thread is left
    homes: list[str] = Field(
        default_factory=list
    )  # the keys of its former places, the first one first
    moved_to: str | None = None  # the thread to which the mail of this empty place was moved

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse a stored item."""
        mail = super().read(attributes)
        return mail.model_copy(update={"new_text": mail.body}) if mail.is_all_new else mail

    def attributes(self) -> Attributes:
        """Return the item as it is stored."""
        is_all_new = bool(self.body) and self.new_text == self.body
        changed = {"is_all_new": True, "new_text": ""} if is_all_new else {"is_all_new": None}
        return stored(self.model_copy(update=changed))

    @property
    def counts(self) -> bool:
        """Whether a model may read it and its author is heard: a person's mail, not held, without weak evidence."""
        return self.kind is Kind.MAIL and self.evidence is not Evidence.WEAK

    @property
    def is_withheld(self) -> bool:
        """Whether its text is shown to people only, also where another mail quotes it."""
        return self.kind is Kind.HELD or self.evidence is Evidence.WEAK

    @property
    def may_be_admitted(self) -> bool:
        """Whether a person may decide that the mail counts: never one that failed a check or is over a cap."""
        if self.kind is Kind.HELD:
            return self.hold_reason in _ADMISSIBLE and not self.erased
        return self.evidence is Evidence.WEAK and not self.erased

    @property
    def home(self) -> str | None:
        """The thread from which it was moved here."""
        return self.homes[-1].partition("#")[0] if self.homes else None

    def at(self, conversation_id: str, n: int) -> Self:
        """Return the mail as number *n* of another thread, which may return to its present place."""
        key = self.number(conversation_id, n)["conversation_id"]
        homes = [*self.homes, self.conversation_id]
        return self.model_copy(update={"conversation_id": key, "n": n, "homes": homes})

    def at_home(self) -> Self:
        """Return the mail at its former place."""
        key = self.homes[-1]
        number = int(key.rpartition("#")[2])
        return self.model_copy(
            update={"conversation_id": key, "n": number, "homes": self.homes[:-1]}
        )

    def left_for(self, conversation_id: str) -> Self:
        """Return the empty place of a mail that was moved to another thread."""
        return type(self)(
            conversation_id=self.conversation_id,
            n=self.n,
            company_id=self.company_id,
            email_id=self.email_id,
            message_id=f"{self.email_id}@moved.invalid",
            kind=self.kind,
            trust=self.trust,
            direction=self.direction,
            timestamp=self.timestamp,
            received_at=self.received_at,
            fingerprint=self.fingerprint,
            moved_to=conversation_id,
            homes=self.homes,
        )

    @property
    def thread(self) -> str:
        """The id of the mail's thread, from its key."""
        return self.conversation_id.partition("#")[0]

    @classmethod
    def number(cls, conversation_id: str, n: int) -> Attributes:
        """Return the key of a thread's mail number *n*. The number has eight digits: text order is its order."""
        return cls.key(conversation_id, f"{n:08d}")
