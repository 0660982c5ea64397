"""
Items of the table. Other systems may keep items in it too: every key of this context begins with one of these.

    NEWSLETTER#{code}       METADATA, TOPICS, OUTLINE, DRAFT    the contract's items
    NLWORK#{code}           JOB#{name}                          Job, the newest of a step or an export
                            UNIT#{job}#{nnn}                    FinishedUnit of a job
                            REV#{step}#{version}                Revision, content that was replaced
                            DELETED                             Deletion
    NLCOMPANY#{company}     SETTINGS                            CompanySettings
                            VERSION#{number}                    SettingsVersion
                            NEWSLETTER#{created_at}#{code}      CompanyEntry
                            AIUSE#{yyyymmdd}                    AiUse
                            SET#{name}                          SettingsSet
                            SCENARIOS#{name}                    SettingsScenarios, of a set
                            RUN#{run}                           SettingsRun, of a set
                            RESULT#{run}#{position}             SettingsResult, of a scenario
                            WARMUP#{domain}                     WarmUp, of a sender's domain
                            ISSUE#{created_at}#{issue}          IssueEntry
    NLIDEM#{request}        HEAD                                StoredAnswer, an API call and its answer
    NLPARKED#{event}        EVENT                               ParkedEvent
    NLLETTER#{event}        NOTE                                DeadLetterNote
    NLPRIVACY#{job}         JOB                                 PrivacyJob
    NLISSUE#{issue}         HEAD                                Issue
                            STATS#{shard}                       IssueStats, a part of its counters
    NLISSUE#{issue}#{shard} RCPT#{recipient}                    Recipient
    NLPACE#{company}        HEAD                                SendPace
    NLPACE#~account         HEAD                                Senders
    NLCOMPANY#{company}     LIST#{list}                         PublicList
                            TEMPLATE#{template}                 MailTemplate
                            ARCHIVE#{list}#{sent_at}#{issue}    ArchivedIssue
    NLSUB#{company}#{recipient}  SIGNUP#{list, or request}      Signup
                            PACE                                SignupPace, of an address
                            QUOTA                               ReaderQuota, of a company or a network address
    NLISSUE#{issue}         TEST#{test}#{number}                TestMail
                            CHOICES                             Choices
                            CONSENT#{at}#{id}                   ConsentEvidence
                            BOUNCES                             SoftBounces
                            INTEREST                            Interest
                            WELCOME#{list}                      WelcomeMail
    NLSERIES#{company}      SERIES#{series}                     Series

GSI1 lists newsletters by user (`USER#{user}`), open jobs, deletions, issues, series, sign-ups and choices by the time
they are due (`NLDUE`), and parked events by company (`NLPARKED`).
"""

from typing import Final

from newsletters.store.items.company import (
    AiUse,
    CompanySettings,
    MailboxPace,
    MailboxPaces,
    SettingsVersion,
    WarmUp,
)
from newsletters.store.items.evaluation import (
    SettingsResult,
    SettingsRun,
    SettingsScenarios,
    SettingsSet,
)
from newsletters.store.items.issues import Issue, IssueEntry, IssueState, Senders, SendPace
from newsletters.store.items.item import TableItem
from newsletters.store.items.jobs import Deletion, FinishedUnit, Job, JobState, Revision
from newsletters.store.items.metadata import (
    STEP_NUMBERS,
    STEPS,
    CompanyEntry,
    Metadata,
    NewsletterStatus,
    Review,
    ReviewState,
    StepName,
)
from newsletters.store.items.privacy import PrivacyJob
from newsletters.store.items.readers import (
    ArchivedIssue,
    Choices,
    ConsentEvidence,
    Interest,
    PublicList,
    ReaderQuota,
    Signup,
    SignupPace,
    SignupState,
    SoftBounces,
    Welcome,
    WelcomeMail,
)
from newsletters.store.items.recipients import (
    IssueStats,
    MailboxProvider,
    Recipient,
    RecipientState,
    TestMail,
    VariantStats,
)
from newsletters.store.items.recovery import DeadLetterNote, ParkedEvent, StoredAnswer
from newsletters.store.items.series import RunState, Series, SeriesRule, SeriesRun
from newsletters.store.items.steps import (
    Chunk,
    ChunkMetadata,
    Citation,
    CustomTopic,
    Draft,
    EditorWarning,
    Export,
    Outline,
    OutlineItem,
    OutlineSection,
    QueryRecord,
    Reference,
    StepItem,
    StepStatus,
    Topics,
    UserModifications,
)
from newsletters.store.items.templates import MailTemplate

ITEMS: Final[tuple[type[TableItem], ...]] = (
    Metadata, Topics, Outline, Draft, CompanyEntry, CompanySettings, AiUse, Job, FinishedUnit, Revision, Deletion,
    StoredAnswer, ParkedEvent, DeadLetterNote, PrivacyJob, Issue, IssueEntry, IssueStats, Recipient, SendPace, Senders,
    VariantStats, PublicList, ArchivedIssue, TestMail, Signup, SignupPace, ReaderQuota, Choices, ConsentEvidence,
    SoftBounces, SettingsVersion, WarmUp, Series, WelcomeMail, MailTemplate, Interest,
    SettingsSet, SettingsScenarios, SettingsRun, SettingsResult,
)  # fmt: skip

__all__ = [
    "ITEMS",
    "STEPS",
    "STEP_NUMBERS",
    "AiUse",
    "ArchivedIssue",
    "Choices",
    "Chunk",
    "ChunkMetadata",
    "Citation",
    "CompanyEntry",
    "CompanySettings",
    "ConsentEvidence",
    "CustomTopic",
    "DeadLetterNote",
    "Deletion",
    "Draft",
    "EditorWarning",
    "Export",
    "FinishedUnit",
    "Interest",
    "Issue",
    "IssueEntry",
    "IssueState",
    "IssueStats",
    "Job",
    "JobState",
    "MailTemplate",
    "MailboxPace",
    "MailboxPaces",
    "MailboxProvider",
    "Metadata",
    "NewsletterStatus",
    "Outline",
    "OutlineItem",
    "OutlineSection",
    "ParkedEvent",
    "PrivacyJob",
    "PublicList",
    "QueryRecord",
    "ReaderQuota",
    "Recipient",
    "RecipientState",
    "Reference",
    "Review",
    "ReviewState",
    "Revision",
    "RunState",
    "SendPace",
    "Senders",
    "Series",
    "SeriesRule",
    "SeriesRun",
    "SettingsResult",
    "SettingsRun",
    "SettingsScenarios",
    "SettingsSet",
    "SettingsVersion",
    "Signup",
    "SignupPace",
    "SignupState",
    "SoftBounces",
    "StepItem",
    "StepName",
    "StepStatus",
    "StoredAnswer",
    "TestMail",
    "Topics",
    "UserModifications",
    "VariantStats",
    "WarmUp",
    "Welcome",
    "WelcomeMail",
]
