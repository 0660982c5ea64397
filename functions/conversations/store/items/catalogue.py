"""
List of the item types of the conversation log.

`shared` declares items that several contexts use: actions, consent, unreachable addresses, owners of
providers' resources.
"""

from conversations.store.items.base import LogItem
from conversations.store.items.log import Change, Message
from conversations.store.items.parts.due import Due
from conversations.store.items.parts.evaluation import (
    EvaluationResult,
    EvaluationRun,
    EvaluationScenarios,
    EvaluationSet,
)
from conversations.store.items.parts.function_result import FunctionResult
from conversations.store.items.parts.knowledge_question import KnowledgeQuestion
from conversations.store.items.parts.memory import Memory
from conversations.store.items.parts.note import Note
from conversations.store.items.parts.privacy_job import PrivacyJob
from conversations.store.items.parts.project_version import ProjectVersion
from conversations.store.items.parts.state import State
from conversations.store.items.parts.trial import ShadowAnswer, ShadowPlace, Trial, TrialCounts
from conversations.store.items.parts.unanswered import Unanswered
from conversations.store.items.records import (
    Answered,
    DeadLetter,
    EarlyFile,
    ErasedAddress,
    ErasedMessage,
    ListPosition,
    Parked,
    Rate,
    Spent,
    Stray,
    Throttled,
    TurnSlots,
    Unmatched,
)
from conversations.store.items.routes import (
    Active,
    ActiveShard,
    Alias,
    BusinessAddress,
    Ended,
    Inbound,
    Open,
    Outbound,
    Placement,
    Route,
)
from shared.access.ownership.claims import Claim
from shared.policy.consent.items import Consent
from shared.policy.consent.unreachable import Unreachable
from shared.policy.consent.withdrawals import Withdrawal

# Items of one conversation, then lookup items that lead to it, then other records.
OF_THE_LOG: tuple[type[LogItem], ...] = (
    Message, Change, Note, Memory, State, Due, FunctionResult, ShadowAnswer,
    Inbound, Outbound, Route, Alias, Placement, Open, Ended, Active, ActiveShard, BusinessAddress,
    Answered, Rate, TurnSlots, Throttled, Spent, Unmatched, Parked, Stray, DeadLetter, EarlyFile,
    ListPosition, ErasedAddress, ErasedMessage, ProjectVersion,
    EvaluationSet, EvaluationScenarios, EvaluationRun, EvaluationResult,
    Trial, TrialCounts, ShadowPlace,
    KnowledgeQuestion, Unanswered,
)  # fmt: skip

_patterns = [(item.pk_pattern, item.sk_pattern) for item in OF_THE_LOG]
_patterns += [
    (item.pk_pattern, item.sk_pattern)
    for item in (PrivacyJob, Consent, Unreachable, Withdrawal, Claim)
]
if len(set(_patterns)) != len(_patterns):
    raise TypeError("two item types share a key pattern")
