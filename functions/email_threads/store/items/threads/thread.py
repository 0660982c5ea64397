"""The head of a thread. Source: contract `email_threads`, all its attributes."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.follow_up import Reminder
from email_threads.store.items.threads.merge import MergeEffects
from email_threads.store.items.threads.satisfaction import Satisfaction
from email_threads.store.items.threads.service_level import ServiceLevel
from email_threads.store.items.threads.thread_status import Status as Status  # noqa: PLC0414 - part of this module
from shared.identity.contacts.claims import Proof

STATUS_INDEX: Final = "StatusIndex"
PARTICIPANT_INDEX: Final = "ParticipantIndex"
TTL_INDEX: Final = "TTLIndex"
COMPANY_INDEX: Final = "CompanyIndex"
SPAM: Final = "spam"  # the tag of threads whose sender is blocked


class Direction(StrEnum):
    """The sender of a mail: the customer, or the company."""

    INBOUND = "inbound"
    OUTBOUND = "outbound"


class Automation(StrEnum):
    """The responder of a thread: this context, the AI conversations, or people only."""

    EMAIL_THREADS = "email_threads"
    CONVERSATIONS = "conversations"
    NONE = "none"


class ReplyMode(StrEnum):
    """Whether a person approves every answer, or safe ones are sent without one."""

    MANUAL = "manual"
    AUTO = "auto"


class AttachmentEntry(BaseModel):
    """
    A file of a mail. `s3_key` is absent if the file may not be stored: SES found a virus.

    *inline*: shown inside the HTML, which names it by *content_id*. *blocked*: an executable or a script, which is
    never served. *type_mismatch*: the content is of another type than declared.
    """

    model_config = ConfigDict(extra="allow")

    filename: str = Field(repr=False)
    content_type: str
    size: int  # bytes
    s3_key: str | None = Field(default=None, repr=False)
    content_id: str | None = None
    inline: bool | None = None
    blocked: bool | None = None
    type_mismatch: bool | None = None


class MailMetadata(BaseModel):
    """Facts about a mail's way: client address and spam score by SES, the program that wrote it."""

    model_config = ConfigDict(extra="allow")

    client_ip: str | None = Field(default=None, repr=False)
    user_agent: str | None = None
    spam_score: float | None = None


class EmailFields(BaseModel):
    """A mail as the contract describes it."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, hide_input_in_errors=True)

    email_id: str
    message_id: str = Field(repr=False)
    in_reply_to: str | None = Field(default=None, repr=False)
    references: list[str] = Field(default_factory=list, repr=False)
    sender: Annotated[str | None, Field(alias="from", repr=False)] = None
    to: list[str] = Field(default_factory=list, repr=False)
    cc: list[str] = Field(default_factory=list, repr=False)
    subject: str = Field(default="", repr=False)
    body: str = Field(default="", repr=False)
    timestamp: str
    direction: Direction
    attachments: list[AttachmentEntry] = Field(default_factory=list)
    metadata: MailMetadata = Field(default_factory=MailMetadata)


class HistoryEntry(EmailFields):
    """
    An entry of `email_history`: a mail with shortened body and lists.

    `signed`: addresses in the signature of a verified sender, without the sender's own.
    """

    n: int = 0  # its mail item; 0 in items of an older system
    signed: list[str] | None = Field(default=None, repr=False)


class ClientInfo(BaseModel):
    """Links to other threads: a suspected one, an expired one that this one continues; further mailboxes."""

    model_config = ConfigDict(extra="allow")

    related: str | None = None
    continues: str | None = None
    also_in: list[str] | None = Field(default=None, repr=False)


class SentimentEntry(BaseModel):
    """The sentiment of one mail of the customer; *score* is -1 to 1."""

    model_config = ConfigDict(extra="allow")

    n: int
    email_id: str
    label: str  # positive | neutral | negative
    score: float


class OpenQuestion(BaseModel):
    """
    A question about a missing field. *asked_n* is the number of the mail that asked it last, *answered_n* the number of
    the mail that answered it.
    """

    model_config = ConfigDict(extra="allow")

    field: str
    question: str = Field(repr=False)
    blocking: bool = True
    asked_at: str | None = None
    asked_n: int | None = None
    answered_n: int | None = None


class AnalysisState(StrEnum):
    """The result of the newest analysis. `skipped` and `failed` have a reason, and leave the mail to people."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class AiAnalysis(BaseModel):
    """
    The model's analysis of a thread at its mail *analysed_n*. `unconfirmed` are values without a quote that stands in a
    mail; `pending_info` are the questions to the customer, at most ten.
    """

    model_config = ConfigDict(extra="allow")

    state: AnalysisState
    reason: str | None = None
    analysed_n: int | None = None
    analysed_at: str | None = None
    evidence_seq: int | None = None  # the number of the thread
    model: str | None = None
    ai_version: int | None = None  # of the mailbox's settings
    summary: str | None = Field(default=None, repr=False)
    intent: str | None = None
    language: str | None = None
    urgency: str | None = None  # low | medium | high
    needs_human: bool = False
    needs_human_reason: str | None = None
    confidence: float | None = None
    is_complete: bool = False
    changed: list[str] = Field(default_factory=list)  # known fields that got another value
    unconfirmed: dict[str, Any] = Field(default_factory=dict, repr=False)
    pending_info: list[OpenQuestion] = Field(default_factory=list)


class NoteEntry(BaseModel):
    """An internal note, shortened. Its item has the whole text."""

    model_config = ConfigDict(extra="allow")

    k: int  # number of its item
    at: str
    by: str
    text: str = Field(repr=False)


class AuditEntry(BaseModel):
    """
    A change of a thread: its author (an API key, a person's id, or the name of a worker) and the changed fields.

    *detail* has ids, states and codes, never text or addresses of customers. *cause* is a hash of the API call, of
    changes that must be recognised after others.
    """

    model_config = ConfigDict(extra="allow")

    at: str
    actor: str
    action: str
    detail: str | None = None
    cause: str | None = None


class Metadata(BaseModel):
    """Notes of people and rules about a thread."""

    model_config = ConfigDict(extra="allow")

    client_info: ClientInfo = Field(default_factory=ClientInfo)
    tags: set[str] = Field(default_factory=set)
    priority: str | None = None  # high | medium | low
    assigned_to: str | None = None
    notes: list[NoteEntry] | None = None  # the newest three


class Thread(ThreadItem):
    """
    The head of a thread. Its lists are windows; every mail has a separate item.

    Items of an older system have neither `company_id`, `mailbox`, `last_seq` nor `ttl`, and belong to no company until
    `operations email-threads migrate` completes them.
    """

    pattern: ClassVar[str] = "{conversation_id}"

    conversation_id: str
    company_id: str = ""
    mailbox: str = Field(default="", repr=False)  # the company's address
    created_at: str  # of the earliest mail
    updated_at: str
    last_updated_at: str | None = None  # equals updated_at
    last_seq: int | None = None  # + 1 per append and per edit by a person
    status: Status
    ttl: int | None = None  # epoch seconds, 30 days after the last change
    ttl_date: str | None = None  # the UTC date of ttl
    original_message_id: str = Field(repr=False)  # in brackets, as RFC 5322 writes it
    subject: str = Field(repr=False)  # cleaned
    participants: set[str] = Field(default_factory=set, repr=False)
    participant: str | None = Field(default=None, repr=False)  # the first outside sender
    participant_name: str | None = Field(
        default=None, repr=False
    )  # as the participant's mails have it
    participant_proof: Proof | None = (
        None  # that the address is the participant's; None: no mail proves it
    )
    thread_references: list[str] = Field(default_factory=list, repr=False)
    email_history: list[HistoryEntry] = Field(default_factory=list, repr=False)
    email_count: int = 0
    automation: Automation = Automation.NONE
    company_status: str | None = None  # the list of CompanyIndex: see `list_of`
    full_text_search: str | None = Field(default=None, repr=False)
    snoozed_until: str | None = None  # hidden from the open threads until then
    reminder: Reminder | None = None  # of an open thread
    closes_at: str | None = None  # completed then, if the customer does not write
    satisfaction: Satisfaction | None = None  # of a mailbox that asks
    closed_at: str | None = None  # since when it is completed or archived
    continued_in: str | None = None  # the thread of a mail that came too late to reopen this one
    waiting_since: str | None = None  # time of the first mail of the customer that is not answered
    response_total: int = 0  # seconds, over `response_samples` answers
    response_samples: int = 0
    response_time_avg: int | None = None  # seconds
    resolution_time: int | None = None  # seconds from created_at to the latest `completed`
    service_level: ServiceLevel | None = None  # due times, if the mailbox has targets
    data_retention_policy: str | None = None  # days, as `30d`
    gdpr_consent: bool | None = None  # False: no AI, no automatic answer
    note_count: int = 0
    audit_count: int = 0
    last_cause: str | None = (
        None  # hash of the API call that made the newest change: a repeat changes nothing
    )
    audit_log: list[AuditEntry] = Field(default_factory=list)  # the newest five
    last_inbound_n: int | None = None  # the newest mail of the customer that counts
    withheld_mails: list[int] = Field(
        default_factory=list
    )  # numbers of the newest 20 that do not count
    evidence_seq: int | None = (
        None  # + 1 when a person changes which mails count: the analysis runs again
    )
    reply_mode: ReplyMode | None = None  # None: the mode of the mailbox
    open_drafts: set[str] = Field(default_factory=set)  # reply ids; the final ones are removed
    closed_drafts: list[str] = Field(default_factory=list)  # reply ids of the newest rejected ones
    requirements: dict[str, Any] = Field(default_factory=dict, repr=False)
    requirements_version: int | None = None  # + 1 whenever the content changes
    ai_analysis: AiAnalysis | None = None
    ai_trial: str | None = None  # of versions of the mailbox's settings, which it has joined
    ai_trial_version: int | None = None  # that it gave the thread; None: the live one
    ai_cost_micros: int | None = None  # of its analyses whose price is known, in micro-dollars
    analysis_seq: int | None = None  # + 1 per write of the analysis, which leaves last_seq alone
    sentiment_scores: list[SentimentEntry] = Field(default_factory=list)  # the newest ten
    merged_into: str | None = None
    merged_from: set[str] = Field(default_factory=set)
    merge_effects: MergeEffects | None = None  # of the merge into another thread
    split_from: str | None = None  # the thread whose mails a person has moved here
    kept_apart: set[str] = Field(
        default_factory=set
    )  # threads that people have separated from this one: no mail merges them
    join_requests: set[str] = Field(
        default_factory=set
    )  # threads of people who named this one and may not join it; at most ten
    metadata: Metadata = Field(default_factory=Metadata)

    @property
    def seq(self) -> int:
        """The sequence number; 0 if the item is older than the attribute."""
        return self.last_seq or 0

    def has_made(self, cause: str) -> bool:
        """Whether the newest change, or one of the newest marked ones, was made by an API call."""
        return cause == self.last_cause or any(one.cause == cause for one in self.audit_log)

    def snoozed_at(self, now: str) -> str | None:
        """Return the end of a snooze that is not over at the time *now*."""
        return self.snoozed_until if (self.snoozed_until or "") > now else None

    @staticmethod
    def list_of(company_id: str, status: Status) -> str:
        """Return the partition of CompanyIndex with a company's threads of this status."""
        return f"{company_id}#{status}"
