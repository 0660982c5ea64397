"""
Items of the table, one string key each.

    {cid}                            Thread            the head: the contract's attributes, with bounded windows
    {cid}#mail#{n}                   Mail              a mail, whole lists; n = 1, 2, ... in order of arrival
    {cid}#note#{k}, {cid}#audit#{k}  Note, Audit       an internal note; a change of the thread
    {cid}#draft#{reply}              Draft             a mail to be sent, and its review
    draftday#{mailbox}#{date}        DraftDay          the model's drafts that were sent on a day, and their edits
    {cid}#send#{reply}               ScheduledSend     a send that waits for its time
    {cid}#participant#{address}      Participant       another person of the thread, for the index of participants
    {cid}#due                        Deadline          the next alarm, breach, reminder, end or question
    {cid}#expiry                     Expiry            outlives the head, so that its children are found
    mid#{id}                         Alias             a Message-ID and the thread that it belongs to
    mailbox#{address}                Mailbox           an address of a company
    version#{company}#{address}#{n}  MailboxVersion    the settings of its model, as they were at a time
    sets#{company}#{address}         DraftSetList      the names of its sets of scenarios
    set#..., scenarios#...           DraftSet, ...     a set of scenarios, and its content
    run#..., result#...              DraftRun, ...     a run of a set, and the result of a scenario
    service#{mailbox}#{date}         ServiceLevelDay   targets that were met and breached, and scores, of a day
    signature#{person}               Signature         the name and the signatures of a person
    company#{company}                CompanyMailboxes  the addresses of a company
    macro#{company}#{name}           Macro             several steps with a thread under one name
    macros#{company}                 MacroList         the names of a company's macros
    parked#{event}                   ParkedEvent       an event that cannot be processed
    letter#{event}                   DeadLetterNote    why the last attempt at an event failed
    request#{request}                StoredAnswer      an API call and its answer
    action#{action}                  Action            a send in the action ledger
    rate#{subject}                   AnswerCount       times of automatic answers
    privacy#{job}                    PrivacyJob        an erasure or export of a person
    erased#{subject}                 ErasedAddress     the time of an erasure, under a keyed hash

Only heads have `status`, so that only heads are in StatusIndex.
"""

from email_threads.store.items.mailboxes.alias import Alias, AliasKind
from email_threads.store.items.mailboxes.evaluation import (
    DraftResult,
    DraftRun,
    DraftScenarios,
    DraftSet,
    DraftSetList,
)
from email_threads.store.items.mailboxes.macro import Macro, MacroList
from email_threads.store.items.mailboxes.mailbox import CompanyMailboxes, Mailbox
from email_threads.store.items.mailboxes.mailbox_version import MailboxVersion
from email_threads.store.items.mailboxes.signature import Signature
from email_threads.store.items.mailboxes.trial import (
    MailboxTrial,
    MailboxTrialCounts,
    ShadowPlace,
)
from email_threads.store.items.parked import DeadLetterNote, ParkedEvent, StoredAnswer
from email_threads.store.items.privacy.erased import ErasedAddress
from email_threads.store.items.privacy.expiry import Expiry
from email_threads.store.items.privacy.privacy import PrivacyJob
from email_threads.store.items.replies.draft import Draft, DraftFile, DraftKind, DraftStatus
from email_threads.store.items.replies.draft_day import DraftDay
from email_threads.store.items.replies.scheduled_send import ScheduledSend
from email_threads.store.items.replies.sends import AnswerCount
from email_threads.store.items.threads.mail import Delivery, Mail
from email_threads.store.items.threads.note import Audit, Note
from email_threads.store.items.threads.participant import Participant
from email_threads.store.items.threads.service_level import Deadline, ServiceLevelDay
from email_threads.store.items.threads.shadow import ShadowDraft
from email_threads.store.items.threads.thread import (
    AiAnalysis,
    AnalysisState,
    Automation,
    HistoryEntry,
    Metadata,
    OpenQuestion,
    ReplyMode,
    SentimentEntry,
    Status,
    Thread,
)

CHILDREN = (
    Mail, Note, Audit, Draft, ScheduledSend, Participant, Deadline, Expiry, Alias, Mailbox, MailboxVersion,
    CompanyMailboxes, Signature, ServiceLevelDay, Macro, MacroList, ParkedEvent, DeadLetterNote, StoredAnswer,
    AnswerCount, PrivacyJob, ErasedAddress, DraftDay, DraftSetList, DraftSet, DraftScenarios, DraftRun, DraftResult,
    MailboxTrial, MailboxTrialCounts, ShadowPlace,
)  # fmt: skip

__all__ = [
    "CHILDREN",
    "AiAnalysis",
    "Alias",
    "AliasKind",
    "AnalysisState",
    "AnswerCount",
    "Audit",
    "Automation",
    "CompanyMailboxes",
    "DeadLetterNote",
    "Deadline",
    "Delivery",
    "Draft",
    "DraftDay",
    "DraftFile",
    "DraftKind",
    "DraftResult",
    "DraftRun",
    "DraftScenarios",
    "DraftSet",
    "DraftSetList",
    "DraftStatus",
    "ErasedAddress",
    "Expiry",
    "HistoryEntry",
    "Macro",
    "MacroList",
    "Mail",
    "Mailbox",
    "MailboxTrial",
    "MailboxTrialCounts",
    "MailboxVersion",
    "Metadata",
    "Note",
    "OpenQuestion",
    "ParkedEvent",
    "Participant",
    "PrivacyJob",
    "ReplyMode",
    "ScheduledSend",
    "SentimentEntry",
    "ServiceLevelDay",
    "ShadowDraft",
    "ShadowPlace",
    "Signature",
    "Status",
    "StoredAnswer",
    "Thread",
]  # fmt: skip
