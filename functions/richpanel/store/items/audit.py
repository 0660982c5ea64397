"""Rows of `rp_mw_audit_actions`."""

from enum import StrEnum
from typing import ClassVar, Literal

from richpanel.store.items.row import Row
from shared.aws.tables.items import filled


class DecisionOutcome(StrEnum):
    """The result of a decision."""

    REPLIED = "replied"
    REPLY_FAILED = "reply_failed"  # refused by the help desk, or its outcome stays unknown
    HANDED_OVER = "handed_over"  # Tier 0, or an agent has to take over
    ROUTED = "routed"
    DRY_RUN = "dry_run"
    NOT_WRITTEN = "not_written"  # no help desk, or no such ticket


class AuditAction(Row):
    """
    One action, done or skipped, and why. Written once and never changed.

    `ts_action_id` is `{created_at of the event}#{action id}`, so that a redelivery writes the same row.
    `action_payload_redacted` is JSON of at most 1 KB: codes, scores and ids; never text.

    Three kinds of partition keys are no conversations: SWITCHES has the changes of the admin API, PARKED lists the
    parked events (`idempotency_key` is the event id), which no index of their table can, and DECISIONS with a day lists
    the decisions of that day (`result` is a `DecisionOutcome`).
    """

    SWITCHES: ClassVar[str] = "sys:switches"
    PARKED: ClassVar[str] = "sys:parked"
    DECISIONS: ClassVar[str] = "sys:decisions:{day}"
    partition_key: ClassVar[str] = "conversation_id"
    patterns: ClassVar[tuple[str, ...]] = ("{conversation_id}",)
    ttl_days: ClassVar[int] = 60

    conversation_id: str
    ts_action_id: str
    action_type: Literal[
        "route", "tag", "assign", "auto_reply", "escalate", "close", "park", "switch"
    ]
    action_payload_redacted: str
    idempotency_key: str
    result: (
        str  # `success`, `skipped: <reason>` or `fail: <reason>`; of DECISIONS a `DecisionOutcome`
    )
    ticket_id: str | None = None  # of DECISIONS: the conversation

    @classmethod
    def decisions_of(cls, day: str) -> str:
        """Return the partition key of the decisions of a day, `YYYY-MM-DD` in UTC."""
        return filled(cls.DECISIONS, day)

    @classmethod
    def sort_key(cls, created_at: str, action_id: str) -> str:
        """Return `ts_action_id` of an action of the event that was first claimed at *created_at*."""
        return filled("{created_at}#{action_id}", created_at, action_id)
