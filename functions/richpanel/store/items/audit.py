"""Rows of `rp_mw_audit_actions`."""

from typing import ClassVar, Literal

from richpanel.store.items.row import Row, filled


class AuditAction(Row):
    """
    One action, done or skipped, and why. Written once and never changed.

    `ts_action_id` is `{created_at of the event}#{action id}`, so that a redelivery writes the same row.
    `action_payload_redacted` is JSON of at most 1 KB: codes, scores and ids; never text.

    Two partition keys are no conversations: SWITCHES has the changes of the admin API, PARKED lists the parked events
    (`idempotency_key` is the event id), which no index of their table can.
    """

    SWITCHES: ClassVar[str] = "sys:switches"
    PARKED: ClassVar[str] = "sys:parked"
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
    result: str  # `success`, `skipped: <reason>` or `fail: <reason>`

    @classmethod
    def sort_key(cls, created_at: str, action_id: str) -> str:
        """Return `ts_action_id` of an action of the event that was first claimed at *created_at*."""
        return filled("{created_at}#{action_id}", created_at, action_id)
