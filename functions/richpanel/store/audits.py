"""Audit rows: actions done or skipped for a ticket, and why. Written once, read newest first."""

from boto3.dynamodb.conditions import Key

from richpanel.store.items import AuditAction
from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table


def add(table: Table, action: AuditAction) -> None:
    """Write an action once: a redelivery makes the same key, and the first row stays."""
    try:
        table.put(action.attributes(), when=AuditAction.attr("ts_action_id").not_exists())
    except ConditionFailed:
        return


def one(table: Table, conversation_id: str, ts_action_id: str) -> AuditAction | None:
    """Read one action, strongly consistent."""
    item = table.get({AuditAction.partition_key: conversation_id, "ts_action_id": ts_action_id})
    return AuditAction.read(item) if item else None


def page(
    table: Table, conversation_id: str, *, limit: int, start: Attributes | None = None
) -> tuple[list[AuditAction], Attributes | None]:
    """Return up to *limit* actions of a conversation, newest first, and the start key of the next page."""
    found, last = table.query(
        None,
        Key(AuditAction.partition_key).eq(conversation_id),
        limit=limit,
        start=start,
        newest_first=True,
    )
    rows = [AuditAction.read(item) for item in found]
    return [row for row in rows if not clock.is_over(row.expires_at)], last


def forget(table: Table, conversation_id: str) -> None:
    """Delete all actions of a conversation. Safe to repeat."""
    start: Attributes | None = None
    while True:
        found, start = table.query(
            None, Key(AuditAction.partition_key).eq(conversation_id), start=start
        )
        for item in found:
            table.delete({name: item[name] for name in (AuditAction.partition_key, "ts_action_id")})
        if start is None:
            return
