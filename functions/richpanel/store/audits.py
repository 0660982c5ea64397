"""Audit rows: actions done or skipped for a ticket, and why. Written once, read newest first."""

from typing import Any

from boto3.dynamodb.conditions import Key

from richpanel.store.items import AuditAction, DecisionOutcome, Event
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock


def add(table: Table, action: AuditAction) -> None:
    """Write an action once: a redelivery makes the same key, and the first row stays."""
    try:
        table.put(action.attributes(), when=AuditAction.attr("ts_action_id").not_exists())
    except ConditionFailed:
        return


def add_change(
    table: Table,
    principal: str,
    action_id: str,
    facts: dict[str, Any],
    *,
    about: str = AuditAction.SWITCHES,
    result: str = "success",
) -> None:
    """
    Write an audit row of a change by *principal*, under `sys:switches` or a conversation. Safe to repeat.

    *facts* are our own codes and not redacted.
    """
    add(
        table,
        AuditAction(
            conversation_id=about,
            ts_action_id=AuditAction.sort_key(clock.to_text(clock.now_ms()), action_id),
            action_type="switch",
            action_payload_redacted=to_json({"who": principal, **facts}),
            idempotency_key=action_id,
            result=result,
            expires_at=AuditAction.time_to_live(),
        ),
    )


def list_parked(table: Table, event: Event, reason: str) -> None:
    """List an event among the parked ones, for as long as its row exists. Safe to repeat: the first entry stays."""
    add(
        table,
        AuditAction(
            **key_of_parked(event),
            action_type="park",
            action_payload_redacted=to_json({"reason": reason}),
            idempotency_key=event.event_id,
            result=f"fail: {reason}",
            expires_at=event.expires_at,
        ),
    )


def list_decision(table: Table, event: Event, payload: str, outcome: DecisionOutcome) -> None:
    """Add a decision to the list of its day. Safe to repeat: the first entry stays."""
    add(
        table,
        AuditAction(
            **key_of_decision(event.created_at, event.event_id),
            action_type="route",
            action_payload_redacted=payload,
            idempotency_key=event.event_id,
            result=outcome,
            ticket_id=event.conversation_id,
            expires_at=AuditAction.time_to_live(),
        ),
    )


def key_of_decision(created_at: str, event_id: str) -> Attributes:
    """Return the whole key of the entry of an event's decision in the list of its day."""
    return {
        AuditAction.partition_key: AuditAction.decisions_of(created_at[: len("YYYY-MM-DD")]),
        "ts_action_id": AuditAction.sort_key(created_at, event_id),
    }


def key_of_parked(event: Event) -> Attributes:
    """Return the whole key of the entry of a parked event in the list of parked events."""
    return {
        AuditAction.partition_key: AuditAction.PARKED,
        "ts_action_id": AuditAction.sort_key(event.created_at, event.event_id),
    }


def key_of(action: AuditAction) -> Attributes:
    """Return the whole key of a row, for example to continue a list after it."""
    return {
        AuditAction.partition_key: action.conversation_id,
        "ts_action_id": action.ts_action_id,
    }


def get(table: Table, conversation_id: str, ts_action_id: str) -> AuditAction | None:
    """Read one action, strongly consistent."""
    item = table.get({AuditAction.partition_key: conversation_id, "ts_action_id": ts_action_id})
    return AuditAction.read(item) if item else None


def page(
    table: Table, conversation_id: str, *, limit: int, start: Attributes | None = None
) -> tuple[list[AuditAction], Attributes | None]:
    """Return up to *limit* actions of a conversation, newest first, and the start key of the next page."""
    items, last = table.query(
        None,
        Key(AuditAction.partition_key).eq(conversation_id),
        limit=limit,
        start=start,
        newest_first=True,
    )
    rows = [AuditAction.read(item) for item in items]
    return [row for row in rows if not clock.is_over(row.expires_at)], last


def forget(table: Table, conversation_id: str) -> None:
    """Delete all actions of a conversation, and the entries of its decisions before them. Safe to repeat."""
    start: Attributes | None = None
    while True:
        items, start = table.query(
            None, Key(AuditAction.partition_key).eq(conversation_id), start=start
        )
        for item in items:
            row = AuditAction.read(item)
            if row.action_type == "route":
                created_at = row.ts_action_id.partition("#")[0]
                table.delete(key_of_decision(created_at, row.idempotency_key))
            table.delete({name: item[name] for name in (AuditAction.partition_key, "ts_action_id")})
        if start is None:
            return
