"""
The rows of the three tables: key patterns and attribute names, as the contract prints them.

    rp_mw_idempotency         Event (evt:rp:...), Action (act:...), DeadLetter (dead:...), ApiRequest (req:...)
    rp_mw_conversation_state  ConversationState, and of its shape CustomerState and Sweep; TokenBucket, SettingsVersion,
                              PrivacyJob; DecisionSetList, DecisionSet, DecisionScenarios, DecisionRun, DecisionResult
    rp_mw_audit_actions       AuditAction

Times are text (ISO 8601 UTC, `shared.runtime.clock.to_text`) where the contract prints them; numbers used in
calculations are milliseconds since 1970. No row holds a text, name, address or full number of a customer.
"""

from richpanel.store.items.audit import AuditAction, DecisionOutcome
from richpanel.store.items.evaluation import (
    DecisionResult,
    DecisionRun,
    DecisionScenarios,
    DecisionSet,
    DecisionSetList,
)
from richpanel.store.items.idempotency import (
    Action,
    ApiRequest,
    DeadLetter,
    Event,
    EventStatus,
    IdempotencyRow,
    Mode,
)
from richpanel.store.items.privacy import PrivacyJob
from richpanel.store.items.row import TTL_ATTRIBUTE, AtMost, Row
from richpanel.store.items.settings import SettingsVersion
from richpanel.store.items.state import (
    RESERVED_PREFIXES,
    AutoReply,
    ConversationState,
    CustomerState,
    PendingFlow,
    ReservedReply,
    StateRow,
    Sweep,
    TokenBucket,
)
from shared.aws.dynamodb import Attributes

ROWS: dict[str, tuple[type[Row | Action], ...]] = {
    "idempotency": (Event, Action, DeadLetter, ApiRequest),
    "conversation_state": (
        ConversationState,
        CustomerState,
        TokenBucket,
        Sweep,
        SettingsVersion,
        PrivacyJob,
        DecisionSetList,
        DecisionSet,
        DecisionScenarios,
        DecisionRun,
        DecisionResult,
    ),
    "audit_actions": (AuditAction,),
}  # by the contract's names of the tables


def key_of(row: type[Row | Action], value: str) -> Attributes:
    """Return the key of a row in a table without a sort key."""
    return {row.partition_key: value}


__all__ = [
    "RESERVED_PREFIXES", "ROWS", "TTL_ATTRIBUTE", "Action", "ApiRequest", "AtMost", "AuditAction", "AutoReply",
    "ConversationState", "CustomerState", "DeadLetter", "DecisionOutcome", "DecisionResult", "DecisionRun",
    "DecisionScenarios", "DecisionSet", "DecisionSetList", "Event", "EventStatus", "IdempotencyRow", "Mode",
    "PendingFlow", "PrivacyJob", "ReservedReply", "Row", "SettingsVersion", "StateRow", "Sweep", "TokenBucket",
    "key_of",
]  # fmt: skip
