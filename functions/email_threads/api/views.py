"""Response models: threads, mails, attachments, notes, changes, mailboxes."""

from typing import Annotated, Any

from pydantic import Field

from email_threads.api.service_levels.views import ServiceLevelView
from email_threads.parsing.body.delivery_status import BounceClass
from email_threads.store.items import AnalysisState, Automation, Delivery, ReplyMode, Status
from shared.api.models.views import View
from shared.policy.business_hours import BusinessHours


class ReminderView(View):
    """The time of the reminder of a thread without an answer of the customer, and when it was given."""

    remind_at: str
    given_at: str | None = None


class SatisfactionView(View):
    """The satisfaction of the customer: when the question is or was asked, and the newest answer with 1 to 5 stars."""

    ask_at: str | None = None
    asked_at: str | None = None
    score: int | None = None
    comment: str | None = None
    answered_at: str | None = None


class ThreadSummary(View):
    """A thread in a list. `snippet` is the beginning of its newest mail; times are ISO 8601 in UTC."""

    conversation_id: str
    mailbox: str
    subject: str
    status: Status
    automation: Automation
    participant: str | None = None
    created_at: str
    updated_at: str
    last_seq: int
    email_count: int
    snippet: str
    last_direction: str | None = None
    waiting_since: str | None = None
    service_level: ServiceLevelView | None = None
    snoozed_until: str | None = None  # absent when the snooze is over
    reminder: ReminderView | None = None
    closes_at: str | None = None  # when it is completed, if the customer does not write
    assigned_to: str | None = None
    priority: str | None = None
    tags: list[str]
    open_drafts: int
    analysis_reason: str | None = None  # the reason why the model has not read the newest mail


class Threads(View):
    """
    A page of threads, newest change first.

    One call compares at most 5,000 threads with a mailbox or `q`, and 2,000 with other filters. With a cursor those
    that changed before *looked_back_to* were not compared, even if none was found.
    """

    threads: list[ThreadSummary]
    looked_back_to: str | None = None


class RelatedThreads(View):
    """`related` was named by a mail whose sender may not join it; `continues` expired or was closed too long ago."""

    related: str | None = None
    continues: str | None = None
    continued_in: str | None = None
    merged_from: list[str]
    split_from: str | None = None


class QuestionView(View):
    """A question about missing information: when it was asked, and by which mail it was asked and answered."""

    field: str
    question: str
    blocking: bool
    asked_at: str | None = None
    asked_n: int | None = None
    answered_n: int | None = None


class AnalysisView(View):
    """
    The model's analysis at mail `analysed_n`. `state` skipped and failed have a `reason`. `unconfirmed` are values
    without a quote in a mail.
    """

    state: AnalysisState
    reason: str | None = None
    analysed_n: int | None = None
    analysed_at: str | None = None
    model: str | None = None
    ai_version: int | None = None
    summary: str | None = None
    intent: str | None = None
    language: str | None = None
    urgency: str | None = None
    needs_human: bool
    needs_human_reason: str | None = None
    confidence: float | None = None
    is_complete: bool
    unconfirmed: dict[str, Any]
    pending_info: list[QuestionView]


class SentimentView(View):
    """The sentiment of mail `n`."""

    n: int
    label: str
    score: float


class JoinRequest(View):
    """A thread whose author named another one and may not join it: a person decides."""

    conversation_id: str
    participant: str | None = None
    snippet: str
    updated_at: str


class ThreadView(ThreadSummary):
    """
    A whole thread; its mails, drafts, notes and changes have separate routes. Durations are in seconds. `ai_dollars`:
    what the model's analyses in it have cost, as far as their prices are known; null if none is.
    """

    participants: list[str]
    original_message_id: str
    thread_references: list[str]
    links: RelatedThreads
    satisfaction: SatisfactionView | None = None
    response_time_avg: int | None = None
    resolution_time: int | None = None
    gdpr_consent: bool | None = None
    data_retention_policy: str | None = None
    expires_at: int | None = None  # epoch seconds
    reply_mode: ReplyMode | None = None
    requirements: dict[str, Any]
    requirements_version: int | None = None
    ai_analysis: AnalysisView | None = None
    ai_dollars: str | None = None
    sentiment_scores: list[SentimentView]
    withheld_mails: list[int]  # numbers of the newest mails that count for nothing
    join_requests: list[JoinRequest]
    note_count: int
    change_count: int


class AttachmentView(View):
    """
    A file of a mail; `index` is its number in the URL.

    `available` is false if SES found a virus, or if it is an executable or a script.
    """

    index: int
    filename: str
    content_type: str
    size: int
    inline: bool
    type_mismatch: bool
    available: bool


class MailView(View):
    """
    A mail. `new_text` is the sender's text without quotes and signature; `html` is sanitised. `automatic_refusal`: why
    no answer is sent without a person. `delivery`: the delivery of a mail that we sent. `bounce_class` and
    `diagnostic`: the class of a bounce and the mail server's answer. `answers_to`: the address
    that an answer of a person goes to, if it is not the sender's.

    `evidence` weak: it joined the thread by a token, a reference or a subject, and its author is no verified
    participant (`evidence_reason`). Such a mail, and a held one, counts for nothing. `may_be_admitted`: a person may
    decide otherwise.
    """

    n: int
    email_id: str
    message_id: str
    in_reply_to: str | None = None
    sender: Annotated[str | None, Field(serialization_alias="from")] = None
    sender_name: str | None = None
    to: list[str]
    cc: list[str]
    subject: str
    body: str
    new_text: str
    html: str | None = None
    timestamp: str
    received_at: str
    direction: str
    kind: str
    trust: str
    needs_review: bool
    joined_by: str | None = None
    is_by_participant: bool | None = None
    evidence: str | None = None
    evidence_reason: str | None = None
    may_be_admitted: bool
    admitted_by: str | None = None
    admitted_at: str | None = None
    hold_reason: str | None = None
    returned_as: str | None = None
    bounce_class: BounceClass | None = None
    diagnostic: str | None = None
    answers_to: str | None = None
    automatic_refusal: str | None = None
    reply_id: str | None = None
    delivery: Delivery | None = None
    erased: bool | None = None  # its person was erased
    flags: list[str]
    attachments: list[AttachmentView]


class Mails(View):
    """A page of mails, newest first; `body` may be cut, see the single mail. `next_before` continues."""

    mails: list[MailView]
    next_before: int | None = None


class Link(View):
    """A link that downloads a file and expires after `seconds`."""

    url: str
    seconds: int


class Changed(View):
    """The state of a thread after a change. Answers are stored: no text."""

    conversation_id: str
    last_seq: int
    status: Status


class Requested(View):
    """An analysis of mail `n` that was queued."""

    conversation_id: str
    n: int


class Admission(View):
    """Whether mail `n` is admitted now."""

    conversation_id: str
    n: int
    admitted: bool


class Joining(View):
    """Whether the thread `joining` becomes part of another one."""

    conversation_id: str
    joining: str
    admitted: bool


class Merging(View):
    """A merge that was queued."""

    conversation_id: str
    into: str


class Separating(View):
    """Mails that move from a thread to another one: a split, or the undo of a merge, that was queued."""

    conversation_id: str
    into: str


class NoteView(View):
    """An internal note."""

    k: int
    at: str
    by: str
    text: str


class Notes(View):
    """A page of notes, newest first."""

    notes: list[NoteView]
    next_before: int | None = None


class WrittenNote(View):
    """The number of a new note."""

    k: int
    last_seq: int


class ChangeView(View):
    """A change of a thread."""

    k: int
    at: str
    actor: str
    action: str
    detail: str | None = None


class Changes(View):
    """A page of changes, newest first."""

    changes: list[ChangeView]
    next_before: int | None = None


class MailboxView(View):
    """An address of the company."""

    address: str
    display_name: str | None = None
    automation: Automation
    retention_days: int
    enabled: bool
    reply_mode: ReplyMode
    ai: dict[str, Any] | None = None
    requirements_schema: dict[str, Any] | None = None
    auto_complete: bool
    facts: list[str]
    link_hosts: list[str]
    blocked_senders: list[str] | None = None
    undo_seconds: int | None = None
    signature: str | None = None
    business_hours: BusinessHours | None = None
    first_response_minutes: int | None = None
    resolution_minutes: int | None = None
    auto_close_days: int | None = None
    reopen_days: int | None = None
    satisfaction_delay_hours: int | None = None
    ai_version: int | None = None
    updated_at: str | None = None


class SignatureView(View):
    """The name and the signatures of the caller."""

    name: str | None = None
    text: str | None = None
    by_mailbox: dict[str, str]


class WrittenSignature(View):
    """Whether the caller has a signature now. Answers are stored: no text."""

    registered: bool


class Mailboxes(View):
    """All mailboxes of the company, by address."""

    mailboxes: list[MailboxView]


class WrittenMailbox(View):
    """Whether a mailbox is registered now. Answers are stored: no address."""

    registered: bool
